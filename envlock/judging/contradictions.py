"""Requirements in one list that no version can satisfy together, so that nothing can install it."""

from __future__ import annotations

import datetime as dt

from envlock.model.knowing.fact import Severity, Source
from envlock.model.knowing.finding import Finding
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.published.listing import Contradiction, Listing

CONTRADICTION = "asked-for-twice"
"""The identifier of such findings."""


def contradiction_findings(listing: Listing, knowledge: Knowledge, today: dt.date) -> tuple[Finding, ...]:
    """Report what a list requires in ways that contradict each other.

    Args:
        listing: what was read.
        knowledge: the meaning of names.
        today: the day on which it was read.
    """
    return tuple(_finding(contradiction, knowledge, today) for contradiction in listing.contradictions)


def _finding(contradiction: Contradiction, knowledge: Knowledge, today: dt.date) -> Finding:
    name, version = contradiction.name, contradiction.version
    places = (contradiction.place, contradiction.other_place)
    return Finding(
        fact=CONTRADICTION,
        severity=Severity.REFUSE,
        components={knowledge.distribution(name): version} if version else {},
        message=f"{name} cannot be {contradiction.asked} and {contradiction.other}: both are asked for",
        cause="",
        sources=tuple(Source(title=place, checked=today) for place in places),
        fixes=(),
    )
