"""The error of a check that is given no version to judge."""

from __future__ import annotations

from envlock.app.pins import EXAMPLE
from envlock.model.errors import RequestError
from envlock.model.published.listing import Listing

_SHOWN = 4
"""How many of the lines that pin nothing an error quotes."""


def nothing_to_check(listing: Listing | None) -> RequestError:
    """Return the error that there is no version to judge, with what to do about it, ready to raise.

    Args:
        listing: what was read; ``None`` where nothing was.
    """
    if listing is None:
        return RequestError("nothing-to-check", "there is nothing to check", hint=EXAMPLE)
    lines = (*listing.ranges, *listing.passed_over)
    if not lines:
        return RequestError(
            "nothing-to-check",
            "there is nothing in it to check",
            where=f"{listing.kind}, {listing.name}" if listing.name else listing.kind,
            hint=f"name a file that pins versions, or {EXAMPLE}",
        )
    return RequestError(
        "nothing-to-check",
        "nothing in it is pinned to one version, and a check does not choose versions",
        where=f"{listing.kind}: {', '.join(lines[:_SHOWN])}{', ...' if len(lines) > _SHOWN else ''}",
        hint="envlock init --from FILE and envlock solve choose versions that go together; "
        "envlock check --from PREFIX judges those of an environment, "
        "as does pip freeze | envlock check --from -",
    )
