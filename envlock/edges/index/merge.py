"""Listings of several places made one: a file that many have is one file."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import dropwhile, islice

from packaging.version import Version

from envlock.edges.index.filenames import read_filename
from envlock.edges.index.listing import Group, Row, dist_file
from envlock.model.catalogue import DistFile, ListedBy, Release
from envlock.model.component import parse_version


class Listing:
    """All that the indexes list of one distribution.

    ``index`` is the index of the manifest that they are from, if it is one of those.

    Attributes:
        releases: newest first.
        sidecars: URL of a file that was looked at -> sha256 of its metadata file (PEP 658), empty where
            untold.
    """

    def __init__(
        self, distribution: str, listings: Iterable[tuple[Group, ...]], index: ListedBy | None = None
    ) -> None:
        self._index = index
        self.sidecars: dict[str, str] = {}
        self._distribution = distribution
        self._decoded: dict[str, tuple[DistFile, ...]] = {}
        found = [listing for listing in listings if listing]
        merged = [(group,) for group in found[0]] if len(found) == 1 else _merged(found) if found else ()
        self.releases = tuple(map(self._release, merged))

    def alike_before(self, file: DistFile) -> Iterator[DistFile]:
        """Of each older release the wheel that fits where this one does, newest first, if there is one."""
        named = read_filename(file.filename, self._distribution)
        if named is None:
            return
        text = str(named.version)
        for release in islice(dropwhile(lambda one: one.text != text, self.releases), 1, None):
            if release.version.is_prerelease and not named.version.is_prerelease:
                continue
            fitting = (one for one in release.files if one.yanked is None and one.tags & file.tags)
            yield from islice(fitting, 1)

    def _release(self, groups: Sequence[Group]) -> Release:
        since = (
            groups[0].since
            if len(groups) == 1
            else min((one.since for one in groups if one.since), default="")
        )
        day = dt.date.fromisoformat(since) if since else None
        return Release(self._distribution, groups[0].text, day, partial(self._once, groups))

    def _once(self, groups: Sequence[Group]) -> tuple[DistFile, ...]:
        text = groups[0].text
        if text not in self._decoded:
            self._decoded[text] = self._files(groups)
        return self._decoded[text]

    def _files(self, groups: Sequence[Group]) -> tuple[DistFile, ...]:
        """The files of a version, wheels first.

        The URL is that of the highest rank, so that a lock names a remote index's file where one has it.
        """
        rows: dict[tuple[str, str], Row] = {}
        for group in groups:
            for row in group.rows():
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


def _merged(listings: Sequence[tuple[Group, ...]]) -> Iterable[Sequence[Group]]:
    """The groups of several listings by version, newest first; in each those of higher rank first."""
    by_text: dict[str, list[Group]] = {group.text: [group] for group in listings[0]}
    for listing in listings[1:]:
        for group in listing:
            by_text.setdefault(group.text, []).append(group)
    if len(by_text) == len(listings[0]):  # none has a version that the first has not, which is in order
        return by_text.values()
    by_version: dict[Version, list[Group]] = {}
    for text, groups in by_text.items():  # 1.0 and 1.0.0 are one version
        by_version.setdefault(parse_version(text), []).extend(groups)
    return [by_version[version] for version in sorted(by_version, reverse=True)]


def _combine(first: Row, other: Row) -> Row:
    """One file listed twice: what the first does not know the other may."""
    return first._replace(
        size=first.size or other.size,
        requires_python=first.requires_python or other.requires_python,
        upload_time=first.upload_time or other.upload_time,
    )
