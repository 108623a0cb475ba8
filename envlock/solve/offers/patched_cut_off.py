"""The cut-off of a distribution whose newest release before it was patched within days."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

from envlock.model.component import parse_version
from envlock.model.published.catalogue import Releases

_AT_ONCE = dt.timedelta(days=7)
"""How soon after a release a patch mends what that release broke; a choice of ours."""

_SERIES = 2
"""How many numbers a release shares with its patches."""


def cut_off_with_patches(releases: Releases, as_of: dt.date) -> dt.date:
    """Return the last day that counts: ``as_of``, or that of a patch which ``as_of`` parts from its release.

    Nobody chose that exact day, and whoever waited a week has the patch (SoundFile 0.12.0 and 0.12.1,
    kiwisolver 1.4.6 and 1.4.7). Where anything but patches came in between, the cut-off stays.

    Args:
        releases: all releases of the distribution, newest first.
        as_of: the cut-off that follows from the group's pins.
    """
    last, soon = as_of.isoformat(), (as_of + _AT_ONCE).isoformat()
    later: list[tuple[str, str]] = []
    for text, day in zip(releases.texts, releases.days, strict=True):
        if last < day <= soon:
            later.append((text, day))
        elif "" < day <= last:
            return _day_of_last_patch(text, day, later) or as_of if later else as_of
    return as_of


def _day_of_last_patch(release: str, day: str, later: Iterable[tuple[str, str]]) -> dt.date | None:
    """Return the day of the last patch within a week of a release, if nothing but patches came then."""
    broken, since = parse_version(release), dt.date.fromisoformat(day)
    until = (since + _AT_ONCE).isoformat()
    at_once = [(parse_version(text), when) for text, when in later if when <= until]
    if any(
        version.is_prerelease or version.release[:_SERIES] != broken.release[:_SERIES]
        for version in (broken, *(version for version, _ in at_once))
    ):
        return None
    return max((dt.date.fromisoformat(when) for _, when in at_once), default=None)
