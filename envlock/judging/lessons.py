"""Conflicts that a solve learns on its way, as facts, so that they count like any other."""

from __future__ import annotations

from collections.abc import Iterable

from envlock.model.knowing.fact import Condition, Evidence, Fact, Severity, Source


def lesson(
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
