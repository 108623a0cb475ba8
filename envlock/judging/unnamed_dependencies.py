"""Dependencies that nobody named, and whether a release of each is compatible with what is named.

AllenNLP 2.4 requires a PyTorch before 1.9, no such PyTorch accepts NumPy 2, so neither does AllenNLP.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from packaging.specifiers import SpecifierSet

from envlock.judging.labels import has_label
from envlock.judging.metadata_findings import (
    DECLARED,
    REQUIRES_DIST,
    REQUIRES_PYTHON,
    WHEELS,
    metadata_source,
)
from envlock.judging.unnamed_requirements import only_version, unnamed_requirements
from envlock.model.component import PYTHON, Range, parse_version
from envlock.model.frozen import dataclass
from envlock.model.knowing.fact import Severity
from envlock.model.knowing.finding import Assignment, Finding
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.published.declaration import Declaration

MOST_TRIED = 12
"""How many releases of a distribution to try: if that many do not decide, nothing is said."""
MOST_ASKED = 60
"""The same with those that are for other interpreters, which are quickly told: an old one has many such."""
_OF_INTERPRETERS = {REQUIRES_PYTHON, WHEELS}


@dataclass(frozen=True, slots=True)
class UnnamedDependency:
    """A distribution that nobody named, and what is required of it.

    Attributes:
        component: the distribution.
        specifier: the releases that satisfy everyone who requires it.
        dependents: component -> its declaration, for each that requires it.
    """

    component: str
    specifier: SpecifierSet
    dependents: Mapping[str, Declaration]

    def admits_before(self, oldest: str) -> bool:
        """Whether the requirements also admit releases before this one."""
        bounds = ("0", *(part.version.removesuffix(".*") for part in self.specifier))
        before = [bound for bound in bounds if parse_version(bound) < parse_version(oldest)]
        return any(self.specifier.contains(version, prereleases=True) for version in before)

    def admitted(self, versions: Iterable[str]) -> tuple[str, ...]:
        """The versions that are admitted, newest first; pre-releases only if there are no others."""
        return tuple(self.specifier.filter(versions))

    @property
    def description(self) -> str:
        """Who requires what, in words."""
        dependents = " and ".join(f"{name} {one.version}" for name, one in self.dependents.items())
        verb = "requires" if len(self.dependents) == 1 else "require"
        return f"{dependents} {verb} {self.component} {self.specifier}".rstrip()


@dataclass(frozen=True, slots=True)
class Tried:
    """The outcome of trying the releases that are admitted.

    Attributes:
        newest: the findings that refuse the newest one.
        goes: whether one of them is compatible with the others.
        further: if none is, what refuses those for the interpreter where the newest is for others.
    """

    newest: tuple[Finding, ...]
    goes: bool
    further: tuple[Finding, ...] = ()


def unnamed_dependencies(
    assignment: Assignment, declarations: Mapping[str, Declaration], knowledge: Knowledge
) -> tuple[UnnamedDependency, ...]:
    """Return the distributions that a combination cannot do without but that nobody named.

    Only what is required alike on every interpreter in question counts. What is pinned to one release is left
    to ``pinned_dependencies``, which has it judged as if it were named.

    Args:
        assignment: the combination, including what it brings along.
        declarations: component -> its declaration.
        knowledge: the meaning of names.
    """
    found: dict[str, UnnamedDependency] = {}
    for requirement in unnamed_requirements(assignment, declarations, knowledge):
        specifier, *others = requirement.specifiers
        text = str(specifier)
        if has_label(text) or only_version(specifier) or any(other != specifier for other in others):
            continue
        before = found.get(
            requirement.component, UnnamedDependency(requirement.component, SpecifierSet(), {})
        )
        dependents = {**before.dependents, requirement.dependent: requirement.declaration}
        found[requirement.component] = UnnamedDependency(
            requirement.component, before.specifier & specifier, dependents
        )
    return tuple(found.values())


def try_releases(
    component: str, admitted: Sequence[str], refusals: Callable[[str], Sequence[Finding]]
) -> Tried | None:
    """Find out whether an admitted release is compatible with the others; ``None`` if the tries do not tell.

    A release outside the range that a refusal asks for is refused alike and need not be tried. As for the
    rest, newer releases are more likely to accept a new partner and older ones an old partner, so both ends
    are tried in turn. Where the metadata of all that were tried, at both ends, refuses the same partners by
    the same ranges, so does that of what lies between: botocore had hundreds of releases for one urllib3.

    Args:
        component: the dependency.
        admitted: the releases that are admitted, newest first; at least one.
        refusals: returns what refuses a release beside the others.
    """
    left = list(admitted)
    newest: Sequence[Finding] = ()
    further: Sequence[Finding] = ()
    stated: set[frozenset[tuple[str, str]] | None] = set()
    tried = 0
    for turn in range(MOST_ASKED):
        if not left or tried == MOST_TRIED:
            break
        found = refusals(left.pop(0 if turn % 2 == 0 else -1))
        if not found:
            return Tried(tuple(newest), goes=True)
        newest = newest or found
        if not all(finding.fact in _OF_INTERPRETERS for finding in found):
            tried += 1
            further = further or found
            stated.add(_stated(found))
        ranges = [
            Range.versions(fix.range)
            for finding in found
            for fix in finding.fixes
            if fix.component == component and fix.range
        ]
        left = [version for version in left if all(range_.contains(version) for range_ in ranges)]
    are_alike = tried == MOST_TRIED and len(stated) == 1 and None not in stated
    return None if left and not are_alike else Tried(tuple(newest), goes=False, further=tuple(further))


def _stated(refusals: Sequence[Finding]) -> frozenset[tuple[str, str]] | None:
    """Return which partners metadata asks for otherwise, and how; ``None`` if something else refuses."""
    if any(refusal.fact != REQUIRES_DIST or not refusal.fixes for refusal in refusals):
        return None
    return frozenset((fix.component, fix.range) for refusal in refusals for fix in refusal.fixes)


def dependency_finding(
    dependency: UnnamedDependency,
    tried: Tried,
    assignment: Assignment,
    named: Collection[str],
    elsewhere: str,
) -> Finding | None:
    """Return what to say about the releases of an unnamed dependency; ``None`` if the newest is fine.

    If no release is compatible, what is named is refused. It is only a warning if further releases are kept
    elsewhere, or if an older one is compatible: installers take the newest that metadata admits and know no
    facts.

    Args:
        dependency: the dependency, and what is required of it.
        tried: the outcome for its releases.
        assignment: the combination without it.
        named: the distributions of the combination that somebody named.
        elsewhere: where further admitted releases are kept that indexes no longer list.
    """
    if not tried.goes:
        refused = _refusal(dependency, tried, assignment, named)
        cause = (
            f"of releases that the index no longer lists, nothing is known: {elsewhere} tells where they are"
        )
        return replace(refused, severity=Severity.WARN, cause=cause, fixes=()) if elsewhere else refused
    if not tried.newest or any(finding.fact in DECLARED for finding in tried.newest):
        return None
    newest = tried.newest[0]
    return replace(
        newest,
        severity=Severity.WARN,
        message=f"{dependency.description}, and its newest release is none that goes: {newest.message}",
        fixes=tuple(fix for fix in newest.fixes if fix.component == dependency.component),
    )


def as_dependents_finding(finding: Finding, dependency: UnnamedDependency) -> Finding:
    """Return a refusal of the newest release that is admitted as one of those who require it."""
    there = {name: version for name, version in finding.components.items() if name != dependency.component}
    return replace(
        finding,
        components={**{name: one.version for name, one in dependency.dependents.items()}, **there},
        message=f"{dependency.description}, and of its newest release: {finding.message}",
    )


def _refusal(
    dependency: UnnamedDependency, tried: Tried, assignment: Assignment, named: Collection[str]
) -> Finding:
    newest = tried.newest[0]
    shown = (newest, *tried.further[:1])
    dependents = {name: one.version for name, one in dependency.dependents.items()}
    met = [name for finding in shown for name in finding.components if name in assignment]
    if on_any_python := PYTHON in newest.components and PYTHON not in assignment:
        met = list(named)
    partners = {name: assignment[name][0].version for name in met if name not in dependents}
    beside = " and ".join(f"{name} {version}" for name, version in partners.items())
    if on_any_python:
        why = f"of which no release is for an interpreter that {beside or 'the former'} is for"
    else:
        why = f"of which no release goes with {beside or 'the former'}; of the newest: {newest.message}"
    return replace(
        newest,
        components={**dependents, **partners},
        message=f"{dependency.description}, {why}",
        sources=tuple(
            dict.fromkeys(
                (
                    *map(metadata_source, dependency.dependents.values()),
                    *(s for finding in shown for s in finding.sources),
                )
            )
        ),
        fixes=tuple(
            dict.fromkeys(fix for finding in shown for fix in finding.fixes if fix.component in partners)
        ),
    )
