"""Judging a combination by what the code of its distributions reads, and what others took away."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from envlock.model.code_reads import CodeReads
from envlock.model.declaration import Declaration
from envlock.model.fact import Severity, Source
from envlock.model.finding import Assignment, Finding, Fix
from envlock.model.knowledge import Knowledge
from envlock.model.removal import Removal
from envlock.solve.candidates import PYTHON

REMOVED_NAMES = "removed-names"
"""Identifier of such findings."""


class Met(NamedTuple):
    """A component of a combination that is past a removal of its own."""

    component: str
    version: str
    removal: Removal


def removals_met(assignment: Assignment, knowledge: Knowledge) -> tuple[Met, ...]:
    """What the components of a combination took away before the versions that are there."""
    return tuple(
        Met(component, instances[0].version, removal)
        for component, instances in assignment.items()
        for removal in knowledge.removals
        if knowledge.flavour_of(component) == removal.component
        and all(removal.has_happened(chosen.version) for chosen in instances)
    )


def removed_name_findings(
    assignment: Assignment,
    reads: Mapping[str, CodeReads],
    declarations: Mapping[str, Declaration],
    knowledge: Knowledge,
) -> tuple[Finding, ...]:
    """Where a distribution reads on import, or its ``setup.py``, what another component no longer has.

    Args:
        assignment: the combination.
        reads: component -> what its code reads, as far as that is known.
        declarations: component -> what it says of itself: it may ask for what brings a module back.
        knowledge: what was taken away.
    """
    met = removals_met(assignment, knowledge)
    found: dict[tuple[str, str], Finding] = {}
    for component, code in reads.items():
        brought = {*assignment, *_asked_for(declarations.get(component))}
        for one in met:
            if one.component != component and (component, one.component) not in found:
                for finding in _of(component, code, one, brought):
                    found[component, one.component] = finding
    return tuple(found.values())


def _of(component: str, code: CodeReads, met: Met, brought: Collection[str]) -> Iterator[Finding]:
    """The first name that was taken away."""
    places = dict(code.on_import)
    if met.component == PYTHON:
        places |= {name: where for name, where in code.on_build.items() if name not in places}
    for name in sorted(met.removal.names & places.keys()):
        if not _stands_in(name, brought):
            yield _finding(component, code, met, name, places[name])
            return


def _finding(component: str, code: CodeReads, met: Met, name: str, where: str) -> Finding:
    when = "when it is imported" if name in code.on_import else "when it is built"
    title = f"{where.partition(':')[0]} of {code.distribution} {code.version} on the package index"
    gone = f"which {met.component} {met.removal.since} no longer has"
    return Finding(
        fact=REMOVED_NAMES,
        severity=Severity.REFUSE,
        components={component: code.version, met.component: met.version},
        message=f"{component} {code.version} looks for {name} {when} ({where}), {gone}",
        cause="",
        sources=(Source(title=title, checked=code.read), *met.removal.sources),
        fixes=(Fix(component=met.component, range=f"<{met.removal.since}"),),
    )


def _asked_for(declaration: Declaration | None) -> set[str]:
    """Distributions, and what extras bring by their names: ``lxml-html-clean`` of ``lxml[html_clean]``."""
    asked = [] if declaration is None else [Requirement(one) for one in declaration.requires_dist]
    return {name for one in asked for name in (one.name, *(f"{one.name}-{extra}" for extra in one.extras))}


def _stands_in(name: str, brought: Collection[str]) -> bool:
    """Whether a distribution bears the name of a module, as those do that bring back what was taken away.

    ``legacy-cgi`` brings ``cgi``, ``audioop-lts`` ``audioop``, ``standard-telnetlib`` ``telnetlib``, and
    ``lxml-html-clean`` ``lxml.html.clean``.
    """
    names = {canonicalize_name(one) for one in brought}
    if "." in name:
        return canonicalize_name(name) in names
    return any(name in one.split("-") for one in names)
