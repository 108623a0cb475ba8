"""What stands between: distributions that nobody named, and that those that are named ask for.

AllenNLP 2.4 asks for a PyTorch before 1.9, and no such PyTorch takes NumPy 2: so AllenNLP does not either.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from packaging.specifiers import SpecifierSet

from envlock.judging.brought import only_version, unnamed_asks
from envlock.judging.labels import has_label
from envlock.judging.metadata_findings import DECLARED, metadata_source
from envlock.model.component import PYTHON, Range, parse_version
from envlock.model.frozen import dataclass
from envlock.model.knowing.fact import Severity
from envlock.model.knowing.finding import Assignment, Finding
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.published.declaration import Declaration

MOST_TRIED = 12
"""Releases of one distribution that are tried: where that many do not tell, nothing is said."""


@dataclass(frozen=True, slots=True)
class Between:
    """A distribution that nobody named, and what is asked of it.

    Attributes:
        component: the distribution.
        specifier: the releases that all who ask for it admit.
        asking: component -> what each of those says of itself.
    """

    component: str
    specifier: SpecifierSet
    asking: Mapping[str, Declaration]

    def admits_before(self, oldest: str) -> bool:
        """Whether releases are asked for, too, that come before one, as by a bound that does."""
        bounds = ("0", *(one.version.removesuffix(".*") for one in self.specifier))
        before = [one for one in bounds if parse_version(one) < parse_version(oldest)]
        return any(self.specifier.contains(one, prereleases=True) for one in before)

    def admitted(self, versions: Iterable[str]) -> tuple[str, ...]:
        """Those versions that are asked for, newest first; pre-releases where there is nothing else."""
        return tuple(self.specifier.filter(versions))

    @property
    def told(self) -> str:
        """Who asks for what, as people read it."""
        askers = " and ".join(f"{name} {one.version}" for name, one in self.asking.items())
        return (
            f"{askers} {'requires' if len(self.asking) == 1 else 'require'} {self.component} {self.specifier}"
        )


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of the releases that are asked for.

    Attributes:
        newest: what refuses the newest of them.
        goes: whether one of them goes with the others.
    """

    newest: tuple[Finding, ...]
    goes: bool


def asked_between(
    assignment: Assignment, declarations: Mapping[str, Declaration], knowledge: Knowledge
) -> tuple[Between, ...]:
    """The distributions that a combination cannot be without, and that nobody named.

    Only what is asked alike on every interpreter in question counts. What is pinned to one release comes
    along and is judged as if it were named (``brought``).

    Args:
        assignment: the combination, with what comes along.
        declarations: component -> what it says of itself.
        knowledge: what the names mean.
    """
    found: dict[str, Between] = {}
    for ask in unnamed_asks(assignment, declarations, knowledge):
        specifier, *others = ask.specifiers
        text = str(specifier)
        if has_label(text) or only_version(specifier) or any(one != specifier for one in others):
            continue
        before = found.get(ask.component, Between(ask.component, SpecifierSet(), {}))
        asking = {**before.asking, ask.asking: ask.declaration}
        found[ask.component] = Between(ask.component, before.specifier & specifier, asking)
    return tuple(found.values())


def try_releases(
    component: str, admitted: Sequence[str], refusals: Callable[[str], Sequence[Finding]]
) -> Tried | None:
    """Whether a release that is asked for goes with the others; ``None`` where too many were refused to tell.

    What a fact says of one release it says of all beyond its range, which need not be tried then. Of the
    others, a new partner is taken by newer releases rather than older, and an old one the other way round:
    so they are tried from both ends.

    Args:
        component: what stands between.
        admitted: the releases that are asked for, newest first; at least one.
        refusals: release -> what refuses it beside the others.
    """
    left = list(admitted)
    newest: Sequence[Finding] = ()
    for turn in range(MOST_TRIED):
        if not left:
            break
        found = refusals(left.pop(0 if turn % 2 == 0 else -1))
        if not found:
            return Tried(tuple(newest), goes=True)
        newest = newest or found
        ranges = [
            Range.versions(fix.range)
            for one in found
            for fix in one.fixes
            if fix.component == component and fix.range
        ]
        left = [version for version in left if all(one.contains(version) for one in ranges)]
    return None if left else Tried(tuple(newest), goes=False)


def between_finding(
    between: Between, tried: Tried, assignment: Assignment, named: Collection[str], elsewhere: str = ""
) -> Finding | None:
    """What is to be told of the releases of what stands between; ``None`` where the newest goes.

    Where none goes, what is named is refused; it is a warning where more are kept elsewhere, and where an
    older one does go: installers take the newest that metadata admits, and know nothing of facts.

    Args:
        between: what is asked for.
        tried: what came of its releases.
        assignment: the combination without it.
        named: the distributions of the combination that somebody named.
        elsewhere: where releases are kept that are asked for, too, and that indexes no longer list.
    """
    if not tried.goes:
        refused = _refused(between, tried.newest[0], assignment, named)
        told = (
            f"of releases that the index no longer lists, nothing is known: {elsewhere} tells where they are"
        )
        return replace(refused, severity=Severity.WARN, cause=told, fixes=()) if elsewhere else refused
    if not tried.newest or any(one.fact in DECLARED for one in tried.newest):
        return None
    newest = tried.newest[0]
    return replace(
        newest,
        severity=Severity.WARN,
        message=f"{between.told}, and its newest release is none that goes: {newest.message}",
        fixes=tuple(fix for fix in newest.fixes if fix.component == between.component),
    )


def _refused(between: Between, newest: Finding, assignment: Assignment, named: Collection[str]) -> Finding:
    askers = {name: one.version for name, one in between.asking.items()}
    met = [name for name in newest.components if name in assignment]
    if on_any_python := PYTHON in newest.components and PYTHON not in assignment:
        met = list(named)
    partners = {name: assignment[name][0].version for name in met if name not in askers}
    beside = " and ".join(f"{name} {version}" for name, version in partners.items())
    if on_any_python:
        why = f"of which no release is for an interpreter that {beside or 'the former'} is for"
    else:
        why = f"of which no release goes with {beside or 'the former'}; of the newest: {newest.message}"
    return replace(
        newest,
        components={**askers, **partners},
        message=f"{between.told}, {why}",
        sources=(*map(metadata_source, between.asking.values()), *newest.sources),
        fixes=tuple(fix for fix in newest.fixes if fix.component in partners),
    )
