"""Listings of several places made one: a file that many have is one file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from operator import itemgetter

from packaging.version import Version

from envlock.edges.index.filenames import read_filename
from envlock.edges.index.listing import Row, dist_file
from envlock.model.catalogue import DistFile, Release


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """All that the indexes list of one distribution.

    Attributes:
        releases: newest first.
        sidecars: URL of a file -> sha256 of its metadata file (PEP 658), empty where untold.
    """

    releases: tuple[Release, ...]
    sidecars: dict[str, str]


def merge(distribution: str, listings: Iterable[tuple[Row, ...]]) -> Listing:
    """Merge what places list, those of higher rank first.

    The URL is that of the highest rank, so that a lock names a remote index's file where one has it.
    """
    rows: dict[tuple[str, str], Row] = {}
    for listing in listings:
        for row in listing:
            key = row.filename, row.sha256
            rows[key] = _combine(rows[key], row) if key in rows else row
    files: dict[Version, list[DistFile]] = {}
    sidecars: dict[str, str] = {}
    for row in rows.values():
        named = read_filename(row.filename, distribution)
        if named is None:
            continue
        files.setdefault(named.version, []).append(dist_file(row, named))
        if row.sidecar is not None:
            sidecars[row.url] = row.sidecar
    releases = [
        Release(distribution=distribution, version=version, files=_wheels_first(found))
        for version, found in sorted(files.items(), key=itemgetter(0), reverse=True)
    ]
    return Listing(releases=tuple(releases), sidecars=sidecars)


def _combine(first: Row, other: Row) -> Row:
    """One file listed twice: what the first does not know the other may."""
    return first._replace(
        size=first.size or other.size,
        requires_python=first.requires_python or other.requires_python,
        upload_time=first.upload_time or other.upload_time,
    )


def _wheels_first(files: list[DistFile]) -> tuple[DistFile, ...]:
    return tuple(sorted(files, key=lambda file: not file.is_wheel))
