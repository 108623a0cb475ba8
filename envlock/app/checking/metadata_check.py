"""The part of ``check`` on metadata: what distributions require of each other, the interpreter, the node."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from envlock.judging.declared import badness, declared_findings
from envlock.judging.implied import machine_of
from envlock.judging.metadata_findings import REQUIRES_DIST
from envlock.judging.published_files import PYTHONS, admitted_pythons
from envlock.judging.required_extras import with_required_extras
from envlock.judging.unpinned_requirements import THE_FILE
from envlock.model.component import PYTHON, parse_version
from envlock.model.knowing.finding import Assignment, Chosen, Finding
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.published.declaration import Declaration, Declared

Declare = Callable[[Mapping[str, tuple[str, str]], str], Declared]
"""Reads the declarations of distributions, from component -> (name on the index, version) and the interpreter
that is meant, empty for any."""


def python_of(assignment: Assignment) -> str:
    """Return the interpreter that is named; empty where none is."""
    return next((chosen.version for chosen in assignment.get(PYTHON, ())), "")


def metadata_findings(
    assignment: Assignment,
    declarations: Mapping[str, Declaration],
    knowledge: Knowledge,
    declare: Declare,
    *,
    of: str = "",
    pythons: Sequence[str] = PYTHONS,
) -> tuple[Finding, ...]:
    """Find where distributions do not accept each other, the interpreter or the node, by their metadata.

    Where no interpreter is named and the wheels for the newest require what they do not get, the result is
    that of the interpreter on which least is wrong. Wheels for others may require less: opencv-python
    4.2.0.32 wants on each the NumPy that it was built with.

    Args:
        assignment: the combination.
        declarations: component -> its declaration.
        knowledge: what the names mean.
        declare: reads the declarations of wheels for another interpreter.
        of: the distribution whose findings are wanted; empty for all.
        pythons: the interpreters that may be meant where none is named; at least one.
    """
    findings = declared_findings(assignment, declarations, knowledge, of=of, pythons=pythons)
    if python_of(assignment):
        return findings
    dependents = {
        component: (declarations[component].distribution, declarations[component].version)
        for finding in findings
        if finding.fact == REQUIRES_DIST
        for component in finding.components
        if component in declarations and component != THE_FILE
    }
    admitted = {python for component in dependents for python in admitted_pythons(declarations[component])}
    for python in sorted(admitted & {*pythons}, key=parse_version, reverse=True):
        own = declare(dependents, python).declarations
        there = {**assignment, PYTHON: (Chosen(version=python),)}
        both = with_required_extras({**declarations, **own}, knowledge, python, machine_of(assignment))
        found = declared_findings(there, both, knowledge, of=of)
        findings = min(findings, found, key=badness)
        if not badness(findings)[0]:
            break
    return findings
