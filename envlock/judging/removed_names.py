"""Judging a combination by the names that its distributions read and that others removed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from envlock.judging.index_sources import file_of
from envlock.judging.learned_conflicts import learned_conflict
from envlock.model.component import PYTHON, Range
from envlock.model.knowing.fact import Condition, Fact, Severity, Source
from envlock.model.knowing.finding import Assignment, Finding, Fix
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.knowing.removal import Removal
from envlock.model.locked.pins import YOU, DistributionPin
from envlock.model.markers import is_of_extras
from envlock.model.published.code_reads import ASKED_OF_TOOLS, CodeReads
from envlock.model.published.declaration import Declaration

REMOVED_NAMES = "removed-names"
"""The identifier of these findings."""

BUILD_TOOLS = frozenset({"cython", "setuptools"})
"""Components that builds run with, where a combination names them beside what has to be built."""


class PastRemoval(NamedTuple):
    """A component of a combination whose version is past one of its removals.

    Attributes:
        component: the component.
        version: its version; the asker's for what nobody named.
        removal: what it removed.
        asker: the distribution that requires what nobody named; empty for what is named.
        asked: the versions that it admits.
    """

    component: str
    version: str
    removal: Removal
    asker: str = ""
    asked: str = ""

    @property
    def named(self) -> str:
        """The component of the combination that this is about."""
        return self.asker or self.component


def removals_met(assignment: Assignment, knowledge: Knowledge) -> tuple[PastRemoval, ...]:
    """Return what the components of a combination removed up to the versions present."""
    return tuple(
        PastRemoval(component, instances[0].version, removal)
        for component, instances in assignment.items()
        for removal in knowledge.removals.get(knowledge.flavour_of(component), ())
        if all(removal.has_happened(chosen.version) for chosen in instances)
    )


class Missing(NamedTuple):
    """A name that a distribution reads and another component no longer has.

    Attributes:
        reader: the component that reads it.
        code: what its code reads.
        met: the removal.
        name: the name.
        where: the file and, in Python, the line.
        instead: the distribution that provides a module which Python no longer has; empty if none is known.
    """

    reader: str
    code: CodeReads
    met: PastRemoval
    name: str
    where: str
    instead: str = ""


def missing_names(
    assignment: Assignment,
    reads: Mapping[str, CodeReads],
    declarations: Mapping[str, Declaration],
    knowledge: Knowledge,
    bounded: Iterable[PastRemoval] = (),
    tools: Collection[str] = (),
) -> tuple[Missing, ...]:
    """Find names read on import, or by ``setup.py``, that another component no longer has.

    For each two components one name is returned; names that end the reader come before those that only warn.

    Args:
        assignment: the combination.
        reads: component -> what its code reads, where known.
        declarations: component -> its declaration, for all that is present: it may require what provides a
            module again.
        knowledge: the removals.
        bounded: what is also removed, from what nobody named.
        tools: the components, Python apart, that builds run with.
    """
    all_met = sorted(
        (*removals_met(assignment, knowledge), *bounded), key=lambda past: bool(past.removal.warning)
    )
    met = [(past, past.removal.names) for past in all_met]
    found: dict[tuple[str, str], Missing] = {}
    brought = _brought(assignment, declarations.values())
    for component, code in reads.items():
        on_import = _with_parents(code.on_import)
        with_build = _with_build(on_import, code.on_build, knowledge.modules)
        for past, names in met:
            if past.named != component and (component, past.component) not in found:
                others = _others(past, knowledge)
                places = with_build if past.component in {PYTHON, *tools} else on_import
                name = _gone(names, places, brought, others)
                if name:
                    instead = next(iter(others.get(name.partition(".")[0], ())), "")
                    found[component, past.component] = Missing(
                        component, code, past, name, places[name], instead
                    )
    return tuple(found.values())


def names_gone(
    assignment: Assignment,
    readers: Iterable[str],
    declarations: Iterable[Declaration],
    knowledge: Knowledge,
) -> dict[tuple[str, str], frozenset[str]]:
    """Map (distribution, component) to the names that the former may look for and the latter removed.

    Args:
        assignment: the combination.
        readers: the distributions.
        declarations: the declarations of all that is present: they may require what provides a module again.
        knowledge: the removals.
    """
    brought = _brought(assignment, declarations)
    met = [
        (
            past.component,
            frozenset(name for name in past.removal.names if not _stands_in(name, brought, others)),
        )
        for past in removals_met(assignment, knowledge)
        for others in (_others(past, knowledge),)
    ]
    found: dict[tuple[str, str], frozenset[str]] = {}
    for reader in readers:
        for component, names in met:
            if component != reader:
                found[reader, component] = names | found.get((reader, component), frozenset())
    return found


def _others(met: PastRemoval, knowledge: Knowledge) -> Mapping[str, Sequence[str]]:
    """Return the distributions that provide modules removed from Python: ``setuptools`` has ``distutils``."""
    return knowledge.modules if met.component == PYTHON else {}


def _with_parents(places: Mapping[str, str]) -> dict[str, str]:
    """Add to names that are read those that contain them: reading ``distutils.version`` reads both."""
    found = dict(places)
    for name, where in places.items():
        for parent in _parents(name.rpartition(".")[0]):
            found.setdefault(parent, where)
    return found


def _with_build(
    on_import: Mapping[str, str], on_build: Mapping[str, str], others: Mapping[str, Sequence[str]]
) -> dict[str, str]:
    """Add what ``setup.py`` reads, except what others provide: those are present in any build."""
    apart = {
        name: where
        for name, where in on_build.items()
        if name in ASKED_OF_TOOLS or name.partition(".")[0] not in others
    }
    return {**apart, **on_import}


def _gone(
    names: frozenset[str],
    places: Mapping[str, str],
    brought: frozenset[str],
    others: Mapping[str, Sequence[str]],
) -> str:
    """Return the first name that is read and was removed; empty if there is none."""
    gone = (name for name in sorted(names & places.keys()) if not _stands_in(name, brought, others))
    return next(gone, "")


def as_finding(missing: Missing) -> Finding:
    """Return the refusal or, where the removal has one, the warning."""
    beside = (Fix(component=missing.instead, range="*"),) if missing.instead else ()
    there = Fix(component=missing.met.component, range=missing.met.removal.versions_with())
    return Finding(
        fact=REMOVED_NAMES,
        severity=Severity.WARN if missing.met.removal.warning else Severity.REFUSE,
        components={missing.reader: missing.code.version, missing.met.named: missing.met.version},
        message=_message(missing),
        cause="",
        sources=_sources(missing),
        fixes=() if missing.met.asker else (*beside, there),
    )


def as_learned_conflict(missing: Missing) -> Fact:
    """Return a fact to solve around: the release that reads a name excludes those that lack it."""
    version, other, since = missing.code.version, missing.met.component, missing.met.removal.since
    return learned_conflict(
        f"{REMOVED_NAMES}:{missing.reader}-{version}+{other}-{since}",
        (
            Condition(component=missing.reader, range=Range.only(version)),
            Condition(component=other, range=Range.versions(missing.met.removal.versions())),
        ),
        reason=_message(missing),
        sources=_sources(missing),
    )


def _message(missing: Missing) -> str:
    past, reader = missing.met, f"{missing.reader} {missing.code.version}"
    if past.removal.warning:
        return f"{reader} {past.removal.warning} ({missing.where})"
    is_built = missing.name not in _with_parents(missing.code.on_import)
    gone = f"which {past.component} {past.removal.since} no longer has"
    if missing.instead:
        gone = f"{gone}, and {missing.instead} would bring"
    if past.asker:
        gone = f"{gone}; {past.asker} {past.version} requires {past.component} {past.asked}"
    when = f"when it is {'built' if is_built else 'imported'} ({missing.where})"
    return f"{reader} looks for {missing.name} {when}, {gone}"


def _sources(missing: Missing) -> tuple[Source, ...]:
    return (file_of(missing.code, missing.where), *missing.met.removal.sources)


def is_asked_for_at_once(
    pin: DistributionPin,
    asking: Iterable[DistributionPin],
    reads: Mapping[str, CodeReads],
    modules: Collection[str],
) -> bool:
    """Whether a group requires a distribution, or a dependent surely imports it when it is imported itself.

    An import inside a function, perhaps after a substitute for what is missing was installed, ends no import.

    Args:
        pin: the distribution.
        asking: the pins that depend on it.
        reads: component -> what its code reads; a component that is not known is taken to import it.
        modules: the modules by which it is imported.
    """
    roots = set(modules)

    def imports(code: CodeReads | None) -> bool:
        return code is None or not roots.isdisjoint(top for name in code.on_import for top in _parents(name))

    return YOU in pin.asked_by or any(imports(reads.get(dependent.component)) for dependent in asking)


def _parents(name: str) -> Iterator[str]:
    """Yield a dotted name and everything that contains it."""
    while name:
        yield name
        name = name.rpartition(".")[0]


def _brought(assignment: Assignment, declarations: Iterable[Declaration]) -> frozenset[str]:
    """Return the canonical names of what is present.

    These are the named components, what they require without an extra, and what extras stand for by name:
    ``lxml-html-clean`` for ``lxml[html_clean]``.
    """
    asked = [Requirement(text) for declaration in declarations for text in declaration.requires_dist]
    names = [
        name
        for requirement in asked
        if requirement.marker is None or not is_of_extras(requirement.marker)
        for name in (requirement.name, *(f"{requirement.name}-{extra}" for extra in requirement.extras))
    ]
    return frozenset(map(canonicalize_name, (*assignment, *names)))


def _stands_in(name: str, brought: frozenset[str], others: Mapping[str, Sequence[str]]) -> bool:
    """Whether a module that was removed is present all the same.

    Distributions that provide one again mostly have its name: ``legacy-cgi`` provides ``cgi``,
    ``audioop-lts`` ``audioop``, ``standard-telnetlib`` ``telnetlib``, and ``lxml-html-clean``
    ``lxml.html.clean``. For others it is recorded.
    """
    if not brought.isdisjoint(others.get(name.partition(".")[0], ())):
        return True
    if "." in name:
        return canonicalize_name(name) in brought
    return any(name in distribution.split("-") for distribution in brought)
