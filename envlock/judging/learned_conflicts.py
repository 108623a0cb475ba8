"""Conflicts that a solve learns on its way, as facts, so that they count like any other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from envlock.model.component import Range, parse_version
from envlock.model.knowing.fact import Condition, Evidence, Fact, Severity, Source
from envlock.model.knowing.finding import Assignment, Finding

_SEVERAL = 8
"""How many releases in a row make it likely that those before them are alike; our own choice."""


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


def as_all_before(learned: Iterable[Fact]) -> tuple[Fact, ...]:
    """Return facts that take releases before several that conflict with one component to be like these.

    That is no knowledge: it serves to explain what the search for an answer has run into.
    """
    met: dict[tuple[str, Condition], list[Fact]] = {}
    for fact in learned:
        reader, *others = fact.when
        if len(others) == 1 and reader.range.text.startswith("=="):
            met.setdefault((reader.component, others[0]), []).append(fact)
    return tuple(
        _all_before(name, other, facts) for (name, other), facts in met.items() if len(facts) >= _SEVERAL
    )


def _all_before(name: str, other: Condition, facts: Sequence[Fact]) -> Fact:
    newest = max((fact.when[0].range.text.removeprefix("==") for fact in facts), key=parse_version)
    return replace(
        facts[-1],
        id=f"{facts[-1].id}-and-before",
        when=(Condition(component=name, range=Range.versions(f"<={newest}")), other),
        reason=f"{facts[-1].reason}; the {len(facts)} releases tried, from {newest} back, are alike",
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
