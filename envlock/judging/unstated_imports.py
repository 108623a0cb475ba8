"""What distributions import and do not ask for, by their code and by what brings the modules of others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from envlock.model.component import Range
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.knowing.need import Need
from envlock.model.locked.pins import DistributionPin
from envlock.model.published.code_reads import CodeReads

UNSTATED_IMPORTS = "unstated-imports"
"""Identifier of such needs, where they are told and waived."""


def unstated_imports(
    reads: Mapping[str, CodeReads], present: Collection[str], modules: Collection[str], knowledge: Knowledge
) -> tuple[Need, ...]:
    """What is imported with a distribution, and no distribution that is there brings.

    Only modules of which knowledge tells the distributions count: that one has the name of a module does not
    mean that it is what was meant.

    Args:
        reads: component -> what its code reads.
        present: all components that are there.
        modules: the top-level modules that their files bring, as far as files are known.
        knowledge: which distributions bring a module.
    """
    there = {*present, *map(knowledge.flavour_of, present)}
    brought = {name for name, by in knowledge.modules.items() if not there.isdisjoint(by)} | set(modules)
    return tuple(
        need
        for component, code in reads.items()
        for need in _of(component, code.among(present), brought, knowledge)
    )


def fact_of(need: Need) -> str:
    """The identifier of one."""
    return f"{UNSTATED_IMPORTS}:{need.distribution}+{need.component}"


def with_facts(pins: Iterable[DistributionPin], needs: Iterable[Need]) -> tuple[DistributionPin, ...]:
    """Pins that say which needs they are there for."""
    met: dict[str, set[str]] = defaultdict(set)
    for need in needs:
        met[need.component].add(fact_of(need))
    return tuple(
        replace(pin, facts=tuple(sorted({*pin.facts, *met[pin.component]}))) if pin.component in met else pin
        for pin in pins
    )


def _of(component: str, code: CodeReads, brought: Collection[str], knowledge: Knowledge) -> Iterator[Need]:
    places: dict[str, str] = {}
    for name, where in code.on_import.items():
        places.setdefault(name.partition(".")[0], where)
    for module, where in sorted(places.items()):
        if module in knowledge.modules and module not in brought:
            yield Need(
                distribution=component,
                range=Range.only(code.version),
                component=knowledge.modules[module][0],
                reason=f"{component} {code.version} imports {module} ({where}), and does not ask for it",
            )
