"""The part of ``check`` that reads code: which names distributions read that others do not have."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import partial
from itertools import islice

from envlock.edges.cache import Cache
from envlock.edges.clock import today
from envlock.edges.code.failing import read_failing
from envlock.edges.code.lacking import read_lacking
from envlock.edges.code.queries import OpenedFiles
from envlock.edges.code.reading import read_code
from envlock.judging.bounded_removals import removals_bounded
from envlock.judging.c_library import glibc_findings
from envlock.judging.failing_uses import failing_findings
from envlock.judging.lacking_names import lacking_findings
from envlock.judging.removed_names import BUILD_TOOLS, as_finding, missing_names, names_gone, removals_met
from envlock.judging.unnamed_dependencies import as_dependents_finding, unnamed_dependencies
from envlock.judging.unstated_imports import unstated_findings
from envlock.judging.untried import required_components, untried_partners
from envlock.model.component import PYTHON
from envlock.model.frozen import dataclass
from envlock.model.knowing.fact import Severity
from envlock.model.knowing.finding import Assignment, Finding
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.published.code_reads import CodeReads
from envlock.model.published.declaration import Declaration

MOST = 16
"""Distributions whose code is read for one answer: nobody waits for the files of hundreds.

Where more are named, only those are read that are older than something they ask for, the oldest first,
each beside that; and functions only of those that no other asks for, which people call themselves.
"""

ReadCode = Callable[..., Mapping[str, CodeReads]]
"""``read_code`` for one combination: component -> (name on the index, version), and maybe parts of each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A combination, as far as reading its code depends on it.

    Attributes:
        assignment: the combination.
        declarations: component -> its declaration.
        along: likewise, of dependencies that nobody named: they may bring what is looked for.
        pinned: what nobody named, and comes along because the metadata of what is named pins it.
        apart: what has a declaration, but no code that counts.
        is_all: whether the combination lists all that is there.
    """

    assignment: Assignment
    declarations: Mapping[str, Declaration]
    along: Mapping[str, Declaration]
    pinned: Collection[str]
    apart: Collection[str]
    is_all: bool

    @property
    def python(self) -> str:
        """The interpreter that is named; empty where none is."""
        return next((chosen.version for chosen in self.assignment.get(PYTHON, ())), "")

    @property
    def named(self) -> dict[str, Declaration]:
        """The declarations of the distributions that somebody named."""
        unnamed = (*self.pinned, *self.apart)
        return {name: declaration for name, declaration in self.declarations.items() if name not in unnamed}

    @property
    def all_declarations(self) -> dict[str, Declaration]:
        """The declarations of all that is there or comes along."""
        return {**self.along, **self.declarations}

    def among(self, reads: Mapping[str, CodeReads]) -> dict[str, CodeReads]:
        """Return what counts of what code reads beside the rest of the combination."""
        return {component: code.among(self.assignment) for component, code in reads.items()}


def code_findings(
    subject: Subject,
    knowledge: Knowledge,
    cache: Cache,
    opened: OpenedFiles | None,
    earlier: Collection[Finding],
) -> tuple[Finding, ...]:
    """Find what the code of named distributions reads that others no longer have, or do not have yet.

    Nothing is fetched where one distribution is named alone and nothing is known to be taken away, unless
    it is said to be alone, or the nodes' C library is named, which its wheel may be too new for. Functions
    are not read beside what is refused anyway.

    Args:
        subject: the combination.
        knowledge: what was taken away.
        cache: where answers are kept.
        opened: opens the package indexes; ``None`` where they may not be asked.
        earlier: what was found before, which functions need not report again.
    """
    assignment, declared, python = subject.assignment, subject.named, subject.python
    named = {component: _release(declaration) for component, declaration in declared.items()}
    partners = _partners(subject, knowledge)
    is_read = subject.is_all or "glibc" in assignment
    readers = {component: named[component] for component, others in partners.items() if others or is_read}
    if not readers:
        return ()
    day = today()
    read = partial(read_code, cache=cache, opened=opened, today=day, python=python)
    reads = read(readers)
    here = _with_imported_parts(subject.among(reads), subject, read, knowledge)
    removed = _removed_findings(here, subject, read, knowledge)
    pairs = {(reader, partner) for reader in readers for partner in partners[reader] & named.keys()}
    lacking = read_lacking(reads, named, cache, opened, python=python, among=pairs)
    absent = tuple(lacking_findings(assignment, here, lacking, removed))
    gone = names_gone(assignment, readers, subject.all_declarations.values(), knowledge)
    gone = {(reader, other): names for (reader, other), names in gone.items() if other in partners[reader]}
    required = {name: required_components(name, stated, knowledge) for name, stated in declared.items()}
    if len(named) > MOST:
        called = declared.keys() - frozenset[str]().union(*required.values())
        pairs = {pair for pair in pairs if pair[0] in called}
        gone = {pair: names for pair, names in gone.items() if pair[0] in called}
    refused = [finding.components.keys() for finding in earlier if finding.severity is Severity.REFUSE]
    settled = {pair for pair in pairs | gone.keys() if any(components >= {*pair} for components in refused)}
    gone = {pair: names for pair, names in gone.items() if pair not in settled}
    failing = read_failing(named, gone, cache, opened, python=python, among=pairs - settled)
    return (
        *removed,
        *absent,
        *glibc_findings(assignment, here),
        *unstated_findings(assignment, subject.declarations, here, knowledge, is_all=subject.is_all),
        *failing_findings(assignment, failing, (*earlier, *removed, *absent), day, required),
    )


def _release(declaration: Declaration) -> tuple[str, str]:
    return declaration.distribution, declaration.version


def _partners(subject: Subject, knowledge: Knowledge) -> dict[str, AbstractSet[str]]:
    """Map the distributions whose code may be read to the components beside which it is."""
    named = subject.named
    if len(named) > MOST:
        untried = untried_partners(named, knowledge, subject.python)
        return {component: untried[component] for component in islice(untried, MOST)}
    met = {removal.component for removal in removals_met(subject.assignment, knowledge)}
    return {component: (met | named.keys()) - {component} for component in named}


def _with_imported_parts(
    reads: Mapping[str, CodeReads], subject: Subject, read: ReadCode, knowledge: Knowledge
) -> dict[str, CodeReads]:
    """Add to what older distributions read what those of their parts read that others import."""
    named = subject.named
    older = [partner for partner in untried_partners(named, knowledge, subject.python) if partner in reads]
    parts = _parts_imported(reads, older, knowledge)
    if not parts:
        return dict(reads)
    more = subject.among(read({part: _release(named[part]) for part in parts}, parts=parts))
    return {
        **reads,
        **{name: _with_parts(reads[name], code, parts[name].values()) for name, code in more.items()},
    }


def _removed_findings(
    reads: Mapping[str, CodeReads], subject: Subject, read: ReadCode, knowledge: Knowledge
) -> tuple[Finding, ...]:
    """Report removed names that the named distributions read, and those that they import along with them."""
    assignment, named, declarations = subject.assignment, subject.named, subject.all_declarations
    unnamed = {
        dependency.component: dependency for dependency in unnamed_dependencies(assignment, named, knowledge)
    }
    left = _left_behind(unnamed, declarations, assignment, knowledge, subject.python)
    brought = {
        component: _release(declarations[component])
        for component in _imported(reads.values(), [*subject.pinned, *left], knowledge)
        if component in declarations
    }
    bounded = removals_bounded(assignment, named, knowledge)
    there = {**reads, **subject.among(read(brought))}
    tools = () if subject.is_all else BUILD_TOOLS
    missing = missing_names(assignment, there, declarations, knowledge, bounded, tools)
    return tuple(
        as_dependents_finding(as_finding(miss), unnamed[miss.reader])
        if miss.reader in left
        else as_finding(miss)
        for miss in missing
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
    return [name for name, later in untried.items() if name in unnamed and not later.isdisjoint(assignment)]


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
        (name for name, tops in modules.items() if not roots.isdisjoint(map(str.lower, tops))),
        MOST,
    )


def _modules_of(distributions: Iterable[str], knowledge: Knowledge) -> dict[str, set[str]]:
    """Map distributions to the modules that they bring: of the same name, and those that are known."""
    modules = {distribution: {distribution.replace("-", "_")} for distribution in distributions}
    for module, by in knowledge.modules.items():
        for distribution in modules.keys() & set(by):
            modules[distribution].add(module)
    return modules
