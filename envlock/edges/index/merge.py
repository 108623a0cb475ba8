"""Merges the listings of several places; a file that many list is one file."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice

from packaging.version import Version

from envlock.edges.index.filenames import read_filename, tags_of_wheel
from envlock.edges.index.page_rows import Groups, Row, dist_file
from envlock.model.component import parse_version
from envlock.model.published.catalogue import DistFile, Fits, ListedBy, Release, Releases
from envlock.model.published.project_status import ACTIVE

_Group = tuple[Groups, int]
"""The files of one version on one listing: the listing, and the version's position in it."""


class MergedListing:
    """Everything that the indexes list of one distribution.

    ``index`` is the manifest's index that alone is asked, if it is one of those.

    Attributes:
        releases: newest first.
        sidecars: from the URL of each file looked at to the sha256 of its metadata file (PEP 658), empty
            if not given.
    """

    def __init__(self, distribution: str, listings: Iterable[Groups], index: ListedBy | None = None) -> None:
        self._index = index
        self.sidecars: dict[str, str] = {}
        self._distribution = distribution
        self._decoded: dict[tuple[str, Fits | None], tuple[DistFile, ...]] = {}
        listings = tuple(listings)
        found = [listing for listing in listings if listing]
        # Another index may have its own, private project under a name that one withholds.
        status = next((listing.status for listing in found or listings if listing.status.word), ACTIVE)
        name = index.name if index else ""
        if len(found) == 1:
            (groups,) = found
            self.releases = Releases(
                groups.texts, groups.since, lambda place: self._release([(groups, place)]), status, name
            )
        else:
            merged = _merged(found) if found else []
            self.releases = Releases(
                [_text(group) for group in merged],
                [_day(group) for group in merged],
                lambda place: self._release(merged[place]),
                status,
                name,
            )

    def alike_before(self, file: DistFile) -> Iterator[DistFile]:
        """Yield from each older release the wheel that fits where this one does, if any, newest first."""
        named = read_filename(file.filename, self._distribution)
        if named is None:
            return
        text = str(named.version)
        if text not in self.releases.texts:
            return
        for release in self.releases[self.releases.texts.index(text) + 1 :]:
            if release.version.is_prerelease and not named.version.is_prerelease:
                continue
            fitting = (wheel for wheel in release.files if wheel.yanked is None and wheel.tags & file.tags)
            yield from islice(fitting, 1)

    def _release(self, groups: Sequence[_Group]) -> Release:
        day = _day(groups)
        since = dt.date.fromisoformat(day) if day else None
        return Release(self._distribution, _text(groups), since, partial(self._once, groups))

    def _once(self, groups: Sequence[_Group], fits: Fits | None) -> tuple[DistFile, ...]:
        key = _text(groups), fits
        if key not in self._decoded:
            self._decoded[key] = self._files(groups, fits)
        return self._decoded[key]

    def _files(self, groups: Sequence[_Group], fits: Fits | None) -> tuple[DistFile, ...]:
        """Return a version's files, wheels first, without wheels that do not fit, as most do not.

        The URL comes from the listing of highest rank, so that a lock names a remote index's file if there is
        one.
        """
        rows: dict[tuple[str, str], Row] = {}
        for group, place in groups:
            for kept in group.rows(place):
                if fits is not None and (tags := tags_of_wheel(kept[0])) and not fits(tags):
                    continue
                row = Row._make(kept)
                key = row.filename, row.sha256
                rows[key] = _combine(rows[key], row) if key in rows else row
        wheels: list[DistFile] = []
        sdists: list[DistFile] = []
        for row in rows.values():
            named = read_filename(row.filename, self._distribution)
            if named is None:
                continue
            (wheels if named.tags else sdists).append(dist_file(row, named, self._index))
            if row.sidecar is not None:
                self.sidecars[row.url] = row.sidecar
        sdists.sort(key=lambda file: file.filename.endswith(".tar.bz2"))
        return (*wheels, *sdists)


def _text(groups: Sequence[_Group]) -> str:
    """Return the version as the listing of highest rank spells it."""
    listing, place = groups[0]
    return listing.texts[place]


def _day(groups: Sequence[_Group]) -> str:
    """Return the day of the first upload anywhere, empty if none is given."""
    return min((day for listing, place in groups if (day := listing.since[place])), default="")


def _merged(listings: Sequence[Groups]) -> list[list[_Group]]:
    """Merge listings into groups by version, newest first; within a version, higher ranks first."""
    by_text: dict[str, list[_Group]] = {}
    for listing in listings:
        for place, text in enumerate(listing.texts):
            by_text.setdefault(text, []).append((listing, place))
    if len(by_text) == len(listings[0]):  # the first, which is in order, has every version
        return list(by_text.values())
    by_version: dict[Version, list[_Group]] = {}
    for text, groups in by_text.items():  # 1.0 and 1.0.0 are one version
        by_version.setdefault(parse_version(text), []).extend(groups)
    return [by_version[version] for version in sorted(by_version, reverse=True)]


def _combine(first: Row, other: Row) -> Row:
    """Combine two listings of one file: fields that the first lacks come from the other."""
    return first._replace(
        size=first.size or other.size,
        requires_python=first.requires_python or other.requires_python,
        upload_time=first.upload_time or other.upload_time,
    )
