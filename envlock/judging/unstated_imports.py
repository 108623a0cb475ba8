"""What distributions import but do not require, by their code and by who provides the modules."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from envlock.judging.index_sources import on_index
from envlock.judging.unnamed_requirements import unnamed_requirements
from envlock.judging.untried import required_components
from envlock.model.component import PYTHON, Range
from envlock.model.knowing.fact import Severity
from envlock.model.knowing.finding import Assignment, Finding, Fix
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.knowing.need import Need
from envlock.model.locked.pins import DistributionPin
from envlock.model.published.code_reads import CodeReads
from envlock.model.published.declaration import Declaration

UNSTATED_IMPORTS = "unstated-imports"
"""The identifier of these needs, where they are reported and waived, and of these findings."""


def unstated_imports(
    reads: Mapping[str, CodeReads], present: Collection[str], modules: Collection[str], knowledge: Knowledge
) -> tuple[Need, ...]:
    """Return what is imported with a distribution but provided by none that is present.

    Only modules whose distributions the knowledge base records count: that a distribution has the name of a
    module does not mean that it is the one meant.

    Args:
        reads: component -> what its code reads.
        present: all components that are present.
        modules: the top-level modules that their files provide, where the files are known.
        knowledge: which distributions provide a module.
    """
    there = {*present, *map(knowledge.flavour_of, present)}
    brought = {name for name, by in knowledge.modules.items() if not there.isdisjoint(by)} | set(modules)
    return tuple(
        need
        for component, code in reads.items()
        for need in _of(component, code.among(present), brought, knowledge)
    )


def unstated_findings(
    assignment: Assignment,
    declarations: Mapping[str, Declaration],
    reads: Mapping[str, CodeReads],
    knowledge: Knowledge,
    *,
    is_all: bool,
) -> Iterator[Finding]:
    """Report imports that nothing present provides, if everything that is required is named.

    If a requirement is not named, nobody knows what it brings in turn. What every new environment of the
    interpreter has (setuptools before Python 3.12) need not be named. What others require but do not import
    on their own import may never be imported (IPython has matplotlib-inline for those who have matplotlib):
    that gets a warning.

    Args:
        assignment: the combination.
        declarations: component -> its declaration; nothing is reported where one is missing.
        reads: component -> what its code reads.
        knowledge: which distributions provide a module.
        is_all: whether the combination lists everything that is present; otherwise it may name half of it,
            and everything found is a warning.
    """
    silent = assignment.keys() - declarations.keys() - knowledge.systems.keys() - {PYTHON}
    if silent or any(unnamed_requirements(assignment, declarations, knowledge)):
        return
    held = {
        need.component
        for chosen in assignment.get(PYTHON, ())
        for need in knowledge.needs
        if need.distribution == PYTHON and need.is_of(PYTHON, chosen.version, None, chosen.version, None)
    }
    for need in unstated_imports(reads, {*assignment, *held}, (), knowledge):
        code = reads[need.distribution]
        yield Finding(
            fact=UNSTATED_IMPORTS,
            severity=Severity.REFUSE
            if is_all and _is_imported(need.distribution, declarations, reads, knowledge)
            else Severity.WARN,
            components={need.distribution: code.version},
            message=f"{need.reason}; nothing that is named brings it",
            cause="",
            sources=(on_index(f"modules of {code.distribution} {code.version}", code.read),),
            fixes=(Fix(component=need.component, range="*"),),
        )


def _is_imported(
    component: str,
    declarations: Mapping[str, Declaration],
    reads: Mapping[str, CodeReads],
    knowledge: Knowledge,
) -> bool:
    """Whether nobody requires a distribution, so that somebody wants it, or a dependent surely imports it."""
    asking = [
        other
        for other, one in declarations.items()
        if component in required_components(other, one, knowledge)
    ]
    return not asking or any(
        knowledge.distribution(name.partition(".")[0]) == component
        for other in asking
        if other in reads
        for name in reads[other].on_import
    )


def fact_of(need: Need) -> str:
    """The identifier of a need."""
    return f"{UNSTATED_IMPORTS}:{need.distribution}+{need.component}"


def with_facts(pins: Iterable[DistributionPin], needs: Iterable[Need]) -> tuple[DistributionPin, ...]:
    """Return pins that record the needs for which they are present."""
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
