"""The part of ``check`` on dependencies that nobody named: does a release of each go with the rest?"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from envlock.app.checking.said import Declare, python_of, said_findings
from envlock.judging.between import Between, asked_between, between_finding, try_releases
from envlock.judging.declared import pythons_that_go
from envlock.judging.judge import judge
from envlock.judging.published_files import PYTHONS
from envlock.model.component import Via
from envlock.model.knowing.fact import Severity
from envlock.model.knowing.finding import Assignment, Chosen, Finding
from envlock.model.knowing.knowledge import Knowledge, index_name
from envlock.model.published.declaration import Declaration

ListedVersions = Callable[[Collection[str]], Mapping[str, tuple[str, ...]]]
"""Finds which releases of the given distributions an index lists, newest first."""


def between_findings(
    assignment: Assignment,
    declarations: Mapping[str, Declaration],
    knowledge: Knowledge,
    declare: Declare,
    listed: ListedVersions,
    named: Collection[str],
    pythons: Sequence[str] = PYTHONS,
) -> Iterator[Finding]:
    """Find dependencies that nobody named and of which no release, or not the newest, goes with the rest.

    Args:
        assignment: the combination, which nothing refuses.
        declarations: component -> what it says of itself.
        knowledge: what to judge by.
        declare: finds out what releases say of themselves.
        listed: finds out which releases there are.
        named: the distributions that somebody named; the others come along.
        pythons: the interpreters that may be meant where none is named; at least one.
    """
    asked = asked_between(assignment, declarations, knowledge)
    versions = listed([index_name(one.component) for one in asked])
    admitted = _admitted(asked, versions)
    python = python_of(assignment)
    pythons = pythons_that_go(assignment, declarations, knowledge, pythons) or pythons
    declare(_newest(admitted), python)  # all at once, before each is asked about alone

    for one in asked:

        def refusals(version: str, name: str = one.component) -> tuple[Finding, ...]:
            told = declare({name: (index_name(name), version)}, python).declarations
            there = {**assignment, name: (Chosen(version=version, via=Via.WHEEL),)}
            all_told = {**declarations, **told}
            said = said_findings(there, all_told, knowledge, declare, of=name, pythons=pythons)
            found = (*judge(there, knowledge).findings, *said)
            return tuple(finding for finding in found if finding.severity is Severity.REFUSE)

        if found := admitted[one.component]:
            tried = try_releases(one.component, found, refusals)
            listed_last = versions[index_name(one.component)][-1]
            kept = knowledge.kept_at.get(one.component)
            elsewhere = kept.address if kept is not None and one.admits_before(listed_last) else ""
            if tried is not None and (told := between_finding(one, tried, assignment, named, elsewhere)):
                yield told


def coming_along(
    assignment: Assignment,
    declarations: Mapping[str, Declaration],
    knowledge: Knowledge,
    declare: Declare,
    listed: ListedVersions,
) -> Mapping[str, Declaration]:
    """Return what the newest admitted release of each dependency that nobody named says of itself.

    Args:
        assignment: the combination.
        declarations: component -> what it says of itself.
        knowledge: what the names mean.
        declare: finds out what releases say of themselves.
        listed: finds out which releases there are.
    """
    asked = asked_between(assignment, declarations, knowledge)
    versions = listed([index_name(one.component) for one in asked])
    return declare(_newest(_admitted(asked, versions)), python_of(assignment)).declarations


def _admitted(
    asked: Sequence[Between], versions: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    return {one.component: one.admitted(versions.get(index_name(one.component), ())) for one in asked}


def _newest(admitted: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, str]]:
    return {name: (index_name(name), found[0]) for name, found in admitted.items() if found}
