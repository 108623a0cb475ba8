"""The minor series of a distribution beyond a pin, each of which its last release stands for."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from itertools import takewhile

from packaging.version import Version

from envlock.judging.tags import supported_tags
from envlock.model.knowing.knowledge import index_name
from envlock.model.project.group import Wish
from envlock.model.published.catalogue import Catalogue, Release
from envlock.solve.era import SERIES_LASTS
from envlock.solve.offers.releases import has_wheel, withdrawn
from envlock.solve.request import Request


def later_releases(wish: Wish, pinned: str, request: Request, catalogue: Catalogue) -> list[Release]:
    """Return the final releases after the one that a wish pins, oldest first; none where it pins none.

    Where that one never existed, all of its series count. Where later ones have wheels that the target can
    use, those without are passed over: an old build has had one.
    """
    if not pinned or wish.direct is not None:
        return []
    asked = Version(Version(pinned).public)
    releases = catalogue.releases(index_name(wish.component))
    final = sorted(
        (release for release in releases if not release.version.is_prerelease), key=lambda one: one.version
    )
    known = any(Version(one.version.public) == asked for one in final)
    own = asked if known else Version(f"{asked.epoch}!{asked.major}.{asked.minor}")
    later = [one for one in final if Version(one.version.public) > own and not withdrawn(one)]
    fit = supported_tags(request.target, request.interpreter).fit
    python = request.interpreter.version
    return [one for one in later if has_wheel(one, fit, python)] or later


def ends_of_series(releases: Sequence[Release]) -> list[str]:
    """Return the last release of each minor series, and before it the last one that came while it was new."""
    ends: dict[tuple[int, int, int, bool], str] = {}
    began: dict[tuple[int, int, int], dt.date | None] = {}
    for release in releases:
        version = Version(release.version.public)
        place = version.epoch, version.major, version.minor
        first = began.setdefault(place, release.since)
        is_late = first is not None and release.since is not None and release.since - first > SERIES_LASTS
        ends[*place, is_late] = str(version)
    return sorted(ends.values(), key=Version)


def lasts_of_major(pinned: str, later: Sequence[Release], as_of: dt.date | None) -> list[str]:
    """Return the last release of a pin's major version: that of the request's time, then that of today."""
    asked = Version(pinned) if pinned else None
    of_major = [
        one for one in later if asked and (one.version.epoch, one.version.major) == (asked.epoch, asked.major)
    ]
    of_time = [one for one in of_major if as_of and one.since and one.since <= as_of]
    return [str(Version(some[-1].version.public)) for some in (of_time, of_major) if some]


def nearest_release(asked: Version, releases: Sequence[Release]) -> Release:
    """Return which of some releases is nearest to one that does not exist.

    That is one which shares the most of its numbers with it, and of these rather the last before it. Those
    that were withdrawn, or are pre-releases, stand back.
    """
    final = [one for one in releases if not one.version.is_prerelease and not withdrawn(one)]
    ordered = sorted(final or releases, key=lambda one: one.version)
    older, newer = ([one for one in ordered if (one.version > asked) is after] for after in (False, True))

    def shared(release: Release) -> int:
        pairs = zip(release.version.release, asked.release, strict=False)
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))

    return max([*reversed(older), *newer], key=shared)
