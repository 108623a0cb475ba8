"""The part of ``check`` that looks through code: which names distributions read that others do not have."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from envlock.edges.cache import Cache
from envlock.edges.clock import today
from envlock.edges.functions.beside import read_failing
from envlock.edges.imports.lacking import read_lacking
from envlock.edges.imports.reading import OpenedFiles, read_code
from envlock.judging.failing_uses import failing_findings
from envlock.judging.lacking_names import lacking_findings
from envlock.judging.removed_names import as_finding, missing_names, names_gone, removals_met
from envlock.model.component import PYTHON
from envlock.model.knowing.finding import Assignment, Finding
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.published.declaration import Declaration

MOST = 16
"""Distributions whose code is looked through for one answer: nobody waits for files of hundreds."""


def code_findings(
    assignment: Assignment,
    declarations: Mapping[str, Declaration],
    knowledge: Knowledge,
    cache: Cache,
    opened: OpenedFiles | None,
    told: Collection[Finding],
    along: Mapping[str, Declaration],
) -> tuple[Finding, ...]:
    """What the code of the distributions that are named reads, and others no longer have, or not yet.

    Nothing is fetched where one distribution is named alone, and nothing is known to be taken away.

    Args:
        assignment: the combination.
        declarations: component -> what it says of itself, of those whose code counts.
        knowledge: what was taken away.
        cache: where answers are kept.
        opened: opens the package indexes; ``None`` where they may not be asked.
        told: what was found before, of which functions need not tell again.
        along: what dependencies that nobody named say of themselves: they may bring what is looked for.
    """
    named = {component: (one.distribution, one.version) for component, one in declarations.items()}
    met = {one.component for one in removals_met(assignment, knowledge)}
    readers = {component: asked for component, asked in named.items() if (met | named.keys()) - {component}}
    if not readers or len(readers) > MOST:
        return ()
    python = next((chosen.version for chosen in assignment.get(PYTHON, ())), "")
    day = today()
    reads = read_code(readers, cache, opened, today=day, python=python)
    here = {component: code.among(assignment) for component, code in reads.items()}
    all_said = {**along, **declarations}
    removed = tuple(map(as_finding, missing_names(assignment, here, all_said, knowledge)))
    lacking = read_lacking(reads, named, cache, opened, python=python)
    absent = tuple(lacking_findings(assignment, here, lacking, removed))
    gone = names_gone(assignment, named, all_said.values(), knowledge)
    failing = read_failing(named, gone, cache, opened, python=python)
    return (
        *removed,
        *absent,
        *failing_findings(assignment, failing, (*told, *removed, *absent), day),
    )
