"""Judging a combination by what its distributions declare: dependencies, interpreters, wheels.

The knowledge base holds what metadata omits or gets wrong; what metadata states needs no fact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations
from types import MappingProxyType

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from envlock.judging.labels import has_label, of_what_is_published
from envlock.judging.metadata_findings import REQUIRES_DIST, metadata_finding, metadata_source
from envlock.judging.published_files import PYTHONS, Node, file_findings, full_version, node_of
from envlock.model.component import PYTHON, USUAL_MACHINE, parse_version
from envlock.model.cpython import cpython_markers
from envlock.model.frozen import dataclass
from envlock.model.knowing.fact import Severity
from envlock.model.knowing.finding import Assignment, Chosen, Finding, Fix
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.published.declaration import Declaration


@dataclass(frozen=True, slots=True)
class _Dependent:
    """A release that requires another distribution."""

    component: str
    declaration: Declaration
    specifier: SpecifierSet


def declared_findings(
    assignment: Assignment,
    declarations: Mapping[str, Declaration],
    knowledge: Knowledge,
    *,
    of: str,
    pythons: Sequence[str] = PYTHONS,
) -> tuple[Finding, ...]:
    """Find where distributions do not accept each other, the interpreter or the node, by their metadata.

    Where no interpreter is named, the one with the least wrong counts.

    Args:
        assignment: the combination.
        declarations: component -> its declaration, where known.
        knowledge: the meaning of names.
        of: the distribution that findings must involve; empty for any.
        pythons: the interpreters that may be meant where none is named; at least one.
    """
    named = [chosen.version for chosen in assignment.get(PYTHON, ())]
    node = node_of(assignment)
    found = (
        tuple(_findings_on(python, node, assignment, declarations, knowledge, of))
        for python in named[:1] or pythons
    )
    return min(found, key=badness)


def compatible_pythons(
    assignment: Assignment,
    declarations: Mapping[str, Declaration],
    knowledge: Knowledge,
    pythons: Sequence[str],
) -> tuple[str, ...]:
    """Return the interpreters that a combination without one may mean: those on which nothing is refused."""
    node = node_of(assignment)
    return tuple(
        python
        for python in pythons
        if not badness(tuple(_findings_on(python, node, assignment, declarations, knowledge)))[0]
    )


def badness(findings: Sequence[Finding]) -> tuple[int, int, int]:
    """Measure how much is wrong: the number of refusals, those of the interpreter, all findings.

    A release that the node cannot use is refused on every interpreter. Where the wheels for one need too new
    a C library, another one for which there are none is no better, and is not what anybody means.
    """
    refusals = [finding for finding in findings if finding.severity is Severity.REFUSE]
    return len(refusals), sum(PYTHON in finding.components for finding in refusals), len(findings)


def _findings_on(
    python: str,
    node: Node,
    assignment: Assignment,
    declarations: Mapping[str, Declaration],
    knowledge: Knowledge,
    of: str = "",
) -> Iterator[Finding]:
    listed = {component: one.versions for component, one in declarations.items()}
    asked: dict[str, list[_Dependent]] = {}
    for component, declaration in declarations.items():
        if of in {"", component}:
            yield from file_findings(component, declaration, python, node, knowledge)
        wanted = required_on(python, declaration, knowledge, machine=node.machine, listed=listed)
        for other, specifier in wanted.items():
            asked.setdefault(other, []).append(_Dependent(component, declaration, specifier))
    for other, dependents in asked.items():
        if other not in assignment:
            yield from _contradictions(other, dependents, of)
            continue
        for one in dependents:
            if of in {"", one.component, other}:
                yield from _unmet(one, other, assignment[other], listed.get(other, ()))


def _unmet(
    dependent: _Dependent, other: str, instances: Sequence[Chosen], listed: Sequence[str]
) -> Iterator[Finding]:
    """Report what is present but not what a release requires."""
    for chosen in instances:
        if not chosen.bundled_in and not _admits(dependent.specifier, chosen.version):
            release = f"{dependent.component} {dependent.declaration.version}"
            fine = _nearest(chosen.version, dependent.specifier, listed)
            yield metadata_finding(
                REQUIRES_DIST,
                {dependent.component: dependent.declaration.version, other: chosen.version},
                f"{release} requires {other} {dependent.specifier}, not {chosen.version}",
                dependent.declaration,
                (Fix(component=other, range=str(dependent.specifier), versions=fine),),
            )


def _contradictions(other: str, dependents: Sequence[_Dependent], of: str) -> Iterator[Finding]:
    """Report where no version of a distribution that nobody named satisfies two releases."""
    for one, another in combinations(dependents, 2):
        if of not in {"", one.component, another.component}:
            continue
        if (one.specifier & another.specifier).is_unsatisfiable():
            yield _irreconcilable(other, one, another)


def required_on(
    python: str,
    declaration: Declaration,
    knowledge: Knowledge,
    *,
    machine: str,
    listed: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> dict[str, SpecifierSet]:
    """Return what a release requires of other distributions on one interpreter: component -> versions.

    Args:
        python: the interpreter.
        declaration: the release's declaration.
        knowledge: the meaning of names.
        machine: the architecture of the nodes.
        listed: component -> the releases that an index lists, where known.
    """
    found: dict[str, SpecifierSet] = {}
    for requirement in applying(declaration.requires_dist, declaration.extras, python, machine):
        other = knowledge.distribution(requirement.name)
        label = declaration.label
        if label is not None and knowledge.differs_by_build(other, label):
            continue  # the labelled build was not read, and builds differ in this
        specifier = requirement.specifier
        if has_label(str(specifier)):
            specifier = of_what_is_published(specifier, listed.get(other, ()))
        found[other] = found[other] & specifier if other in found else specifier
    return found


def _irreconcilable(other: str, one: _Dependent, another: _Dependent) -> Finding:
    """Report what two releases require of a third that nobody named, where no version satisfies both."""
    parts = [f"{dependent.component} {dependent.declaration.version}" for dependent in (one, another)]
    both = f"{parts[0]} requires {other} {one.specifier} and {parts[1]} {other} {another.specifier}"
    finding = metadata_finding(
        REQUIRES_DIST,
        {dependent.component: dependent.declaration.version for dependent in (one, another)},
        f"{both}: no version is both",
        one.declaration,
        (),
    )
    return replace(finding, sources=(*finding.sources, metadata_source(another.declaration)))


def _nearest(version: str, specifier: SpecifierSet, listed: Sequence[str]) -> tuple[str, ...]:
    """Return the nearest acceptable versions below and above, without pre-releases, which solve nothing."""
    here = parse_version(version)
    fine = sorted(
        release for release in map(parse_version, listed) if specifier.contains(release, prereleases=False)
    )
    below = [str(release) for release in fine if release < here][-1:]
    above = [str(release) for release in fine if release > here][:1]
    return (*below, *above)


@cache
def applying(
    requires_dist: tuple[str, ...], extras: frozenset[str], python: str, machine: str
) -> tuple[Requirement, ...]:
    """Return the requirements whose markers hold; cached, as a release recurs in many combinations."""
    markers = markers_on(python, machine)
    environments = [{**markers, "extra": extra} for extra in ("", *extras)]
    return tuple(
        requirement
        for requirement in map(_requirement, requires_dist)
        if requirement.marker is None or any(map(requirement.marker.evaluate, environments))
    )


@cache
def _requirement(text: str) -> Requirement:
    return Requirement(text)


def _admits(specifier: SpecifierSet, version: str) -> bool:
    return specifier.contains(parse_version(version), prereleases=True)


def markers_on(python: str, machine: str = USUAL_MACHINE) -> dict[str, str]:
    """Return the environment in which to evaluate markers on an interpreter, with no extra."""
    full = full_version(python)
    return {**cpython_markers(full, Version(full).release, machine), "extra": ""}
