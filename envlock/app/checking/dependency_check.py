"""The part of ``check`` on dependencies that nobody named: does a release of each go with the rest?"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from envlock.app.checking.metadata_check import Declare, metadata_findings, python_of
from envlock.judging.declared import compatible_pythons
from envlock.judging.judge import judge
from envlock.judging.published_files import PYTHONS
from envlock.judging.unnamed_dependencies import (
    UnnamedDependency,
    dependency_finding,
    try_releases,
    unnamed_dependencies,
)
from envlock.model.component import Via
from envlock.model.knowing.fact import Severity
from envlock.model.knowing.finding import Assignment, Chosen, Finding
from envlock.model.knowing.knowledge import Knowledge, index_name
from envlock.model.published.declaration import Declaration

ListedVersions = Callable[[Collection[str]], Mapping[str, tuple[str, ...]]]
"""Finds which releases of the given distributions an index lists, newest first."""


def dependency_findings(
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
        declarations: component -> its declaration.
        knowledge: what to judge by.
        declare: reads the declarations of releases.
        listed: finds out which releases there are.
        named: the distributions that somebody named; the others come along.
        pythons: the interpreters that may be meant where none is named; at least one.
    """
    dependencies = unnamed_dependencies(assignment, declarations, knowledge)
    versions = listed([index_name(dependency.component) for dependency in dependencies])
    admitted = _admitted(dependencies, versions)
    python = python_of(assignment)
    pythons = compatible_pythons(assignment, declarations, knowledge, pythons) or pythons
    declare(_newest(admitted), python)  # all at once, before each is looked up alone

    for dependency in dependencies:

        def refusals(version: str, name: str = dependency.component) -> tuple[Finding, ...]:
            own = declare({name: (index_name(name), version)}, python).declarations
            there = {**assignment, name: (Chosen(version=version, via=Via.WHEEL),)}
            stated = metadata_findings(
                there, {**declarations, **own}, knowledge, declare, of=name, pythons=pythons
            )
            findings = (*judge(there, knowledge).findings, *stated)
            return tuple(finding for finding in findings if finding.severity is Severity.REFUSE)

        if versions_admitted := admitted[dependency.component]:
            tried = try_releases(dependency.component, versions_admitted, refusals)
            listed_last = versions[index_name(dependency.component)][-1]
            kept = knowledge.kept_at.get(dependency.component)
            elsewhere = kept.address if kept is not None and dependency.admits_before(listed_last) else ""
            if tried is not None and (
                finding := dependency_finding(dependency, tried, assignment, named, elsewhere)
            ):
                yield finding


def newest_declarations(
    assignment: Assignment,
    declarations: Mapping[str, Declaration],
    knowledge: Knowledge,
    declare: Declare,
    listed: ListedVersions,
) -> Mapping[str, Declaration]:
    """Return the declaration of the newest admitted release of each dependency that nobody named.

    Args:
        assignment: the combination.
        declarations: component -> its declaration.
        knowledge: what the names mean.
        declare: reads the declarations of releases.
        listed: finds out which releases there are.
    """
    dependencies = unnamed_dependencies(assignment, declarations, knowledge)
    versions = listed([index_name(dependency.component) for dependency in dependencies])
    return declare(_newest(_admitted(dependencies, versions)), python_of(assignment)).declarations


def _admitted(
    dependencies: Sequence[UnnamedDependency], versions: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    return {
        dependency.component: dependency.admitted(versions.get(index_name(dependency.component), ()))
        for dependency in dependencies
    }


def _newest(admitted: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, str]]:
    return {name: (index_name(name), found[0]) for name, found in admitted.items() if found}
