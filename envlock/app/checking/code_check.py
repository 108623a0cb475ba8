"""The part of ``check`` that reads code: which names distributions read that others do not have."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice

from envlock.edges.cache import Cache
from envlock.edges.clock import today
from envlock.edges.code.failing import read_failing
from envlock.edges.code.lacking import read_lacking
from envlock.edges.code.queries import OpenedFiles
from envlock.edges.code.reading import read_code
from envlock.judging.between import asked_between, of_newest
from envlock.judging.bounded_removals import removals_bounded
from envlock.judging.c_library import glibc_findings
from envlock.judging.failing_uses import failing_findings
from envlock.judging.lacking_names import lacking_findings
from envlock.judging.removed_names import as_finding, missing_names, names_gone, removals_met
from envlock.judging.unstated_imports import unstated_findings
from envlock.judging.untried import asked_for, untried_partners
from envlock.model.component import PYTHON
from envlock.model.knowing.finding import Assignment, Finding
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.published.code_reads import CodeReads
from envlock.model.published.declaration import Declaration

MOST = 16
"""Distributions whose code is read for one answer: nobody waits for the files of hundreds.

Where more are named, only those are read that are older than something they ask for, the oldest first,
each beside that; and functions only of those that no other asks for, which people call themselves.
"""


def code_findings(
    assignment: Assignment,
    declarations: Mapping[str, Declaration],
    knowledge: Knowledge,
    cache: Cache,
    opened: OpenedFiles | None,
    told: Collection[Finding],
    *,
    along: Mapping[str, Declaration],
    pinned: Collection[str],
    apart: Collection[str],
    is_all: bool,
) -> tuple[Finding, ...]:
    """Find what the code of named distributions reads that others no longer have, or do not have yet.

    Nothing is fetched where one distribution is named alone and nothing is known to be taken away, unless
    it is said to be alone, or the nodes' C library is named, which its wheel may be too new for.

    Args:
        assignment: the combination.
        declarations: component -> what it says of itself.
        knowledge: what was taken away.
        cache: where answers are kept.
        opened: opens the package indexes; ``None`` where they may not be asked.
        told: what was found before, which functions need not tell again.
        along: what dependencies that nobody named say of themselves: they may bring what is looked for.
        pinned: what nobody named, and comes along because the metadata of what is named pins it.
        apart: what says something of itself, but has no code that counts.
        is_all: whether the combination lists all that is there.
    """
    spoken = {name: one for name, one in declarations.items() if name not in (*pinned, *apart)}
    named = {component: (one.distribution, one.version) for component, one in spoken.items()}
    met = {one.component for one in removals_met(assignment, knowledge)}
    bounded = removals_bounded(assignment, spoken, knowledge)
    python = next((chosen.version for chosen in assignment.get(PYTHON, ())), "")
    partners = {component: (met | named.keys()) - {component} for component in named}
    if len(named) > MOST:
        untried = untried_partners(spoken, knowledge, python)
        partners = {component: set(untried[component]) for component in islice(untried, MOST)}
    is_read = is_all or "glibc" in assignment
    readers = {component: named[component] for component, others in partners.items() if others or is_read}
    if not readers:
        return ()
    day = today()
    reads = read_code(readers, cache, opened, today=day, python=python)
    here = {component: code.among(assignment) for component, code in reads.items()}
    older = [one for one in untried_partners(spoken, knowledge, python) if one in here]
    if parts := _parts_imported(here, older, knowledge):
        wanted = {one: named[one] for one in parts}
        more = read_code(wanted, cache, opened, today=day, python=python, parts=parts)
        for one, code in more.items():
            here[one] = _with_parts(here[one], code.among(assignment), parts[one].values())
    all_said = {**along, **declarations}
    unnamed = {one.component: one for one in asked_between(assignment, spoken, knowledge)}
    left = _left_behind(unnamed, all_said, assignment, knowledge, python)
    brought = {
        component: (all_said[component].distribution, all_said[component].version)
        for component in _imported(here.values(), [*pinned, *left], knowledge)
        if component in all_said
    }
    beneath = read_code(brought, cache, opened, today=day, python=python)
    there = here | {component: code.among(assignment) for component, code in beneath.items()}
    missing = missing_names(assignment, there, all_said, knowledge, bounded)
    removed = tuple(
        of_newest(as_finding(one), unnamed[one.reader]) if one.reader in left else as_finding(one)
        for one in missing
    )
    pairs = {(reader, one) for reader in readers for one in partners[reader] & named.keys()}
    lacking = read_lacking(reads, named, cache, opened, python=python, among=pairs)
    absent = tuple(lacking_findings(assignment, here, lacking, removed))
    gone = names_gone(assignment, readers, all_said.values(), knowledge)
    gone = {(reader, other): names for (reader, other), names in gone.items() if other in partners[reader]}
    asked = {name: asked_for(name, one, knowledge) for name, one in spoken.items()}
    if len(named) > MOST:
        called = spoken.keys() - frozenset[str]().union(*asked.values())
        pairs = {pair for pair in pairs if pair[0] in called}
        gone = {pair: names for pair, names in gone.items() if pair[0] in called}
    failing = read_failing(named, gone, cache, opened, python=python, among=pairs)
    return (
        *removed,
        *absent,
        *glibc_findings(assignment, here),
        *unstated_findings(assignment, declarations, here, knowledge, is_all=is_all),
        *failing_findings(assignment, failing, (*told, *removed, *absent), day, asked),
    )


def _left_behind(
    unnamed: Collection[str],
    declarations: Mapping[str, Declaration],
    assignment: Assignment,
    knowledge: Knowledge,
    python: str,
) -> list[str]:
    """Return what nobody named and of which even the newest release is older than something named beside it.

    Nobody can have tried these together, and what is older still was tried with it even less.
    """
    untried = untried_partners(declarations, knowledge, python)
    return [one for one, later in untried.items() if one in unnamed and not later.isdisjoint(assignment)]


def _parts_imported(
    reads: Mapping[str, CodeReads], holders: Iterable[str], knowledge: Knowledge
) -> dict[str, dict[str, str]]:
    """Map distributions to the names of theirs that others surely read on import, each with who reads it.

    Importing astropy runs none of its parts, but importing lightkurve runs ``astropy.units``.
    """
    modules = _modules_of(holders, knowledge)
    found: dict[str, dict[str, str]] = {holder: {} for holder in modules}
    for holder, tops in modules.items():
        for reader, code in reads.items():
            if reader != holder:
                names = (name for name in code.on_import if name.partition(".")[0] in tops)
                found[holder] |= dict.fromkeys(names, reader)
    return {holder: names for holder, names in found.items() if names}


def _with_parts(code: CodeReads, parts: CodeReads, readers: Iterable[str]) -> CodeReads:
    by = " and ".join(sorted(set(readers)))
    more = {name: f"{where}, by an import of {by}" for name, where in parts.on_import.items()}
    return replace(code, on_import={**more, **code.on_import})


def _imported(reads: Iterable[CodeReads], unnamed: Iterable[str], knowledge: Knowledge) -> Iterator[str]:
    """Yield the distributions whose modules are imported along with readers."""
    roots = {name.partition(".")[0].lower() for code in reads for name in code.on_import}
    modules = _modules_of(unnamed, knowledge)
    yield from islice(
        (one for one, tops in modules.items() if not roots.isdisjoint(map(str.lower, tops))), MOST
    )


def _modules_of(distributions: Iterable[str], knowledge: Knowledge) -> dict[str, set[str]]:
    """Map distributions to the modules that they bring: of the same name, and those that are known."""
    modules = {one: {one.replace("-", "_")} for one in distributions}
    for module, by in knowledge.modules.items():
        for one in modules.keys() & set(by):
            modules[one].add(module)
    return modules
