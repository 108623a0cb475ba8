"""Projects that went on as sources: what they published last with a wheel is of another time."""

from __future__ import annotations

import datetime as dt

from envlock.model.published.catalogue import DistFile, Release

_YEAR = dt.timedelta(days=365)
"""How long sources alone were published since a wheel that is no longer taken for the project's way.

databricks-cli had a wheel in 2019 and then three years none that Python 3 takes, seqeval one in 2019 and none
since: it asks for Keras, which later ones do not.
"""


def compiled(wheel: DistFile) -> bool:
    """Whether a wheel is for some machines alone."""
    return all(tag.platform != "any" for tag in wheel.tags)


class SourcesAlone:
    """What is known of the releases of one distribution that have no wheel for an interpreter and machine."""

    def __init__(self) -> None:
        self._answered: dict[str, bool] = {}

    def for_years(self, wheel: Release, later: Release) -> bool:
        """Whether a release with a wheel is old beside a later one that came as sources, for everybody.

        What has compiled wheels, and none that can be used here, is not made for here: it is passed by.
        """
        if wheel.since is None or later.since is None or later.since - wheel.since < _YEAR:
            return False
        if later.text not in self._answered:
            self._answered[later.text] = not any(one.is_wheel and compiled(one) for one in later.files)
        return self._answered[later.text]
