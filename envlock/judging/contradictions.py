"""Requirements in one list that no version can satisfy together, so that nothing can install it."""

from __future__ import annotations

import datetime as dt

from envlock.model.knowing.fact import Severity, Source
from envlock.model.knowing.finding import Finding
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.published.listing import Listing

CONTRADICTION = "asked-for-twice"
"""The identifier of such findings."""


def contradiction_findings(listing: Listing, knowledge: Knowledge, today: dt.date) -> tuple[Finding, ...]:
    """Report what a list requires in ways that contradict each other.

    Args:
        listing: what was read.
        knowledge: the meaning of names.
        today: the day on which it was read.
    """
    return tuple(
        Finding(
            fact=CONTRADICTION,
            severity=Severity.REFUSE,
            components={knowledge.distribution(one.name): one.version} if one.version else {},
            message=f"{one.name} cannot be {one.asked} and {one.other}: both are asked for",
            cause="",
            sources=tuple(Source(title=place, checked=today) for place in (one.place, one.other_place)),
            fixes=(),
        )
        for one in listing.contradictions
    )
