"""Conflicts that a solve learns on its way, as facts, so that they count like any other."""

from __future__ import annotations

from collections.abc import Iterable

from envlock.model.component import Range
from envlock.model.knowing.fact import Condition, Evidence, Fact, Severity, Source
from envlock.model.knowing.finding import Assignment, Finding


def learned_conflict(
    identifier: str,
    when: Iterable[Condition],
    *,
    reason: str,
    cause: str = "",
    sources: Iterable[Source] = (),
    severity: Severity = Severity.REFUSE,
) -> Fact:
    """Make the fact that these conditions exclude each other."""
    return Fact(
        id=identifier,
        when=tuple(when),
        then=(),
        severity=severity,
        evidence=Evidence.DERIVED,
        reason=reason,
        cause=cause,
        sources=tuple(sources),
        refuses=(),
        accepts=(),
        file="",
    )


def conflict_of(assignment: Assignment, finding: Finding, number: int) -> Fact:
    """Turn a finding on an answer into a conflict of exactly the components that met.

    A bundled library is not chosen by itself, so the wheel that carries it takes its place.
    """
    met: dict[str, str] = {}
    for component, version in finding.components.items():
        for chosen in assignment.get(component, ()):
            if chosen.version == version and chosen.bundled_in:
                met[chosen.bundled_in] = assignment[chosen.bundled_in][0].version
            elif chosen.version == version:
                met[component] = version
    conditions = (
        Condition(component=component, range=Range.only(version)) for component, version in met.items()
    )
    return learned_conflict(
        f"{finding.fact}#{number}",
        conditions,
        reason=finding.message,
        cause=finding.cause,
        sources=finding.sources,
    )
