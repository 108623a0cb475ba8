"""Conflicts that a solve learns on its way, in the form of facts, so that they count like any other."""

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
    """The fact that these conditions do not go together."""
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
