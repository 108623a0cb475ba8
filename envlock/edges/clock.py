"""The day by the clock: on which promises, waivers and what is kept of indexes end."""

from __future__ import annotations

import datetime as dt


def today() -> dt.date:
    """The day in UTC, so that it ends at one moment on all machines that share a store or a manifest."""
    return dt.datetime.now(dt.UTC).date()
