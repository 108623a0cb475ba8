"""Today's date, which decides when freezes, waivers and cached index pages expire."""

from __future__ import annotations

import datetime as dt


def today() -> dt.date:
    """Return the date in UTC, so that it changes at once on all machines that share a store or manifest."""
    return dt.datetime.now(dt.UTC).date()
