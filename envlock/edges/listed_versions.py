"""The releases that the package indexes list of a distribution, asked for once a day."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping
from contextlib import suppress

from envlock.edges.cache import Cache, Form
from envlock.edges.declarations import Opened
from envlock.model.errors import SurroundingsError

_KIND = "listed-versions-1"
_FORM: Form = (str, [str])


def read_listed_versions(
    names: Collection[str], cache: Cache, opened: Opened | None, *, today: dt.date
) -> Mapping[str, tuple[str, ...]]:
    """The releases of distributions, newest first; what no index tells of is left out.

    Args:
        names: the distributions.
        cache: where answers are kept.
        opened: opens the indexes; ``None`` where they may not be asked, and all that was kept counts.
        today: the day.
    """
    found: dict[str, tuple[str, ...]] = {}
    for name in names:
        document = cache.read_as(_KIND, name, _FORM)
        if document is not None and (opened is None or document[0] == today.isoformat()):
            found[name] = tuple(document[1])
    missing = [name for name in names if name not in found]
    if not missing or opened is None:
        return found
    with opened() as catalogue:
        catalogue.prefetch(missing)
        for name in missing:
            try:
                found[name] = tuple(release.text for release in catalogue.releases(name))
            except SurroundingsError:
                continue  # nothing is said of what cannot be looked at
            with suppress(SurroundingsError):  # an answer does not need a cache that can be written
                cache.write(_KIND, name, (today.isoformat(), list(found[name])))
    return found
