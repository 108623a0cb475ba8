"""Projects that went on as sources only: their last release with a wheel is of another time."""

from __future__ import annotations

import datetime as dt

from envlock.model.published.catalogue import DistFile, Release

_YEAR = dt.timedelta(days=365)
"""How long a project must have published only sources for its last wheel to count as outdated.

databricks-cli had a wheel in 2019, and for three years afterwards none that Python 3 takes; seqeval had one
in 2019 and none since: it asks for Keras, which later releases do not. KeyBERT's wheel of 0.1.0 was the last
for 21 months, in which seven releases came as sources.
"""


def compiled(wheel: DistFile) -> bool:
    """Whether a wheel is for some machines only."""
    return all(tag.platform != "any" for tag in wheel.tags)


class SdistOnly:
    """What is known of a distribution's releases that have no wheel for an interpreter and machine.

    Args:
        as_of: the last day of publication that counts; ``None`` for no cut-off.
    """

    def __init__(self, as_of: dt.date | None) -> None:
        self._as_of = as_of
        self._answered: dict[str, bool] = {}

    def for_years(self, wheel: Release, later: Release) -> bool:
        """Whether a release with a wheel is old beside a later one that came as sources for everybody.

        A project whose wheels are compiled is given until the later release itself is a year behind, as a
        build of it takes more than a backend; others until the group's day.
        A later one with compiled wheels, none of them usable here, was not made for here: it is passed over.
        """
        if wheel.since is None or later.since is None or later.since < wheel.since:
            return False
        until = later.since if self._as_of is None or _compiles(wheel) else self._as_of
        if until - wheel.since < _YEAR:
            return False
        if later.text not in self._answered:
            self._answered[later.text] = not _compiles(later)
        return self._answered[later.text]


def _compiles(release: Release) -> bool:
    return any(file.is_wheel and compiled(file) for file in release.files)
