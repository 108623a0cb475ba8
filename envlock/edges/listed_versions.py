"""The releases of a distribution that the package indexes list, looked up once a day."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping

from envlock.edges.cache import Cache, Form
from envlock.edges.declarations import Opened
from envlock.model.errors import SurroundingsError

_KIND = "listed-versions-1"
_FORM: Form = (str, [str])


def read_listed_versions(
    names: Collection[str], cache: Cache, opened: Opened | None, *, today: dt.date
) -> Mapping[str, tuple[str, ...]]:
    """Return the releases of distributions, newest first; those that no index answers for are left out.

    Args:
        names: the distributions.
        cache: where answers are kept.
        opened: opens the indexes; ``None`` if they may not be asked, and cached answers of any day count.
        today: today's date.
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
                continue  # what cannot be looked up is left out
            cache.keep(_KIND, name, (today.isoformat(), list(found[name])))
    return found
