"""Judging a combination by what the code of its distributions reads, and what others took away."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from envlock.judging.lessons import lesson
from envlock.model.component import PYTHON, Range
from envlock.model.knowing.fact import Condition, Fact, Severity, Source
from envlock.model.knowing.finding import Assignment, Finding, Fix
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.knowing.removal import Removal
from envlock.model.locked.pins import YOU, DistributionPin
from envlock.model.published.code_reads import CodeReads
from envlock.model.published.declaration import Declaration

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
        for removal in knowledge.removals.get(knowledge.flavour_of(component), ())
        if all(removal.has_happened(chosen.version) for chosen in instances)
    )


class Missing(NamedTuple):
    """A name that a distribution reads, and another component no longer has.

    Attributes:
        reader: the component that reads it.
        code: what it reads.
        met: the removal.
        name: the name.
        where: the file and, of Python, the line.
        instead: the distribution that brings a module which Python no longer does; empty where none is known.
    """

    reader: str
    code: CodeReads
    met: Met
    name: str
    where: str
    instead: str = ""


def missing_names(
    assignment: Assignment,
    reads: Mapping[str, CodeReads],
    declarations: Mapping[str, Declaration],
    knowledge: Knowledge,
) -> tuple[Missing, ...]:
    """Where a distribution reads on import, or its ``setup.py``, what another component no longer has.

    Of two components one name counts, first of those that end a reader.

    Args:
        assignment: the combination.
        reads: component -> what its code reads, as far as that is known.
        declarations: component -> what it says of itself, of all that is there: it may ask for what brings a
            module back.
        knowledge: what was taken away.
    """
    all_met = sorted(removals_met(assignment, knowledge), key=lambda one: bool(one.removal.warning))
    met = [(one, one.removal.names) for one in all_met]
    found: dict[tuple[str, str], Missing] = {}
    brought = _brought(assignment, declarations.values())
    for component, code in reads.items():
        on_import = _with_parents(code.on_import)
        with_build = _with_build(on_import, code.on_build, knowledge.modules)
        for one, names in met:
            if one.component != component and (component, one.component) not in found:
                others = _others(one, knowledge)
                places = with_build if one.component == PYTHON else on_import
                for name in _gone(names, places, brought, others):
                    instead = next(iter(others.get(name.partition(".")[0], ())), "")
                    found[component, one.component] = Missing(
                        component, code, one, name, places[name], instead
                    )
    return tuple(found.values())


def names_gone(
    assignment: Assignment,
    readers: Iterable[str],
    declarations: Iterable[Declaration],
    knowledge: Knowledge,
) -> dict[tuple[str, str], frozenset[str]]:
    """Distribution and component -> names that the one may look for and the other took away.

    Args:
        assignment: the combination.
        readers: the distributions.
        declarations: what all that is there says of itself: it may ask for what brings a module back.
        knowledge: what was taken away.
    """
    brought = _brought(assignment, declarations)
    met = [
        (
            one.component,
            frozenset(name for name in one.removal.names if not _stands_in(name, brought, others)),
        )
        for one in removals_met(assignment, knowledge)
        for others in (_others(one, knowledge),)
    ]
    found: dict[tuple[str, str], frozenset[str]] = {}
    for reader in readers:
        for component, names in met:
            if component != reader:
                found[reader, component] = names | found.get((reader, component), frozenset())
    return found


def _others(met: Met, knowledge: Knowledge) -> Mapping[str, Sequence[str]]:
    """Which distributions bring modules that Python took away: ``setuptools`` has ``distutils``."""
    return knowledge.modules if met.component == PYTHON else {}


def _with_parents(places: Mapping[str, str]) -> dict[str, str]:
    """Where names are read, and with them what they lie in: who reads ``distutils.version`` reads both."""
    found = dict(places)
    for name, where in places.items():
        for parent in _parents(name.rpartition(".")[0]):
            found.setdefault(parent, where)
    return found


def _with_build(
    on_import: Mapping[str, str], on_build: Mapping[str, str], others: Mapping[str, Sequence[str]]
) -> dict[str, str]:
    """The same with what ``setup.py`` reads; what others bring is there wherever something is built."""
    apart = {name: where for name, where in on_build.items() if name.partition(".")[0] not in others}
    return {**apart, **on_import}


def _gone(
    names: frozenset[str],
    places: Mapping[str, str],
    brought: frozenset[str],
    others: Mapping[str, Sequence[str]],
) -> list[str]:
    """The first name that was taken away, if there is one."""
    gone = (name for name in sorted(names & places.keys()) if not _stands_in(name, brought, others))
    return list(islice(gone, 1))


def as_finding(one: Missing) -> Finding:
    """The refusal, or what is told instead."""
    beside = (Fix(component=one.instead, range="*"),) if one.instead else ()
    return Finding(
        fact=REMOVED_NAMES,
        severity=Severity.WARN if one.met.removal.warning else Severity.REFUSE,
        components={one.reader: one.code.version, one.met.component: one.met.version},
        message=_told(one),
        cause="",
        sources=_sources(one),
        fixes=(*beside, Fix(component=one.met.component, range=one.met.removal.versions_with())),
    )


def as_lesson(one: Missing) -> Fact:
    """A fact to solve around: the release that reads goes with none that lacks the name."""
    version, other, since = one.code.version, one.met.component, one.met.removal.since
    return lesson(
        f"{REMOVED_NAMES}:{one.reader}-{version}+{other}-{since}",
        (
            Condition(component=one.reader, range=Range.only(version)),
            Condition(component=other, range=Range.versions(one.met.removal.versions())),
        ),
        reason=_told(one),
        sources=_sources(one),
    )


def _told(one: Missing) -> str:
    if one.met.removal.warning:
        return f"{one.reader} {one.code.version} {one.met.removal.warning} ({one.where})"
    when = "when it is imported" if one.name in _with_parents(one.code.on_import) else "when it is built"
    gone = f"which {one.met.component} {one.met.removal.since} no longer has"
    if one.instead:
        gone = f"{gone}, and {one.instead} would bring"
    return f"{one.reader} {one.code.version} looks for {one.name} {when} ({one.where}), {gone}"


def _sources(one: Missing) -> tuple[Source, ...]:
    file = f"{one.where.partition(':')[0]} of {one.code.distribution} {one.code.version}"
    return (Source(title=f"{file} on the package index", checked=one.code.read), *one.met.removal.sources)


def is_asked_for_at_once(
    pin: DistributionPin,
    asking: Iterable[DistributionPin],
    reads: Mapping[str, CodeReads],
    modules: Collection[str],
) -> bool:
    """Whether a group asks for a distribution, or what depends on it surely imports it on its own import.

    What is imported in a function alone, perhaps with what it lacks put in place before, ends no import.

    Args:
        pin: the distribution.
        asking: the pins that depend on it.
        reads: component -> what its code reads; that of which nothing is known is taken to import it.
        modules: the modules by which it is imported.
    """
    roots = set(modules)

    def imports(code: CodeReads | None) -> bool:
        return code is None or not roots.isdisjoint(top for name in code.on_import for top in _parents(name))

    return YOU in pin.asked_by or any(imports(reads.get(one.component)) for one in asking)


def _parents(name: str) -> Iterator[str]:
    """A dotted name and all that it lies in."""
    while name:
        yield name
        name = name.rpartition(".")[0]


def _brought(assignment: Assignment, declarations: Iterable[Declaration]) -> frozenset[str]:
    """The canonical names of what is there.

    That is what is named, what that asks for without an extra, and what extras bring by their names:
    ``lxml-html-clean`` of ``lxml[html_clean]``.
    """
    asked = [Requirement(text) for one in declarations for text in one.requires_dist]
    names = [
        name
        for one in asked
        if "extra" not in str(one.marker)
        for name in (one.name, *(f"{one.name}-{extra}" for extra in one.extras))
    ]
    return frozenset(map(canonicalize_name, (*assignment, *names)))


def _stands_in(name: str, brought: frozenset[str], others: Mapping[str, Sequence[str]]) -> bool:
    """Whether a module that was taken away is there all the same.

    Those that bring one back mostly bear its name: ``legacy-cgi`` brings ``cgi``, ``audioop-lts``
    ``audioop``, ``standard-telnetlib`` ``telnetlib``, and ``lxml-html-clean`` ``lxml.html.clean``. Of others
    it is known.
    """
    if not brought.isdisjoint(others.get(name.partition(".")[0], ())):
        return True
    if "." in name:
        return canonicalize_name(name) in brought
    return any(name in one.split("-") for one in brought)
