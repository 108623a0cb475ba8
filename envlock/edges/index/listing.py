"""Files as one index lists them, and the form in which listings are kept: by version, newest first.

A large project has thousands of files on its page and a solve looks at a few of its versions, so that the
rows of each version stay packed until one gets to them.
"""

from __future__ import annotations

import datetime as dt
import marshal
from collections.abc import Iterable
from functools import cache
from operator import itemgetter
from typing import NamedTuple

from packaging.version import Version

from envlock.edges.index.filenames import NamedFile, read_filename
from envlock.edges.index.requirement_repair import read_specifiers
from envlock.model.catalogue import DistFile, ListedBy

_MINUTE = len("2026-11-21T12:00")


class Row(NamedTuple):
    """One link of a page, as texts.

    Attributes:
        filename: the file's name.
        url: where it is, absolute.
        sha256: its hash, empty where unknown.
        size: bytes, 0 where unknown.
        requires_python: the interpreters it is for, empty for any.
        upload_time: ISO 8601, empty where unknown.
        yanked: the reason if it was withdrawn, ``None`` if not.
        sidecar: whether its metadata has a file of its own (PEP 658): that one's sha256, empty where the
            index does not tell it; ``None`` if there is none.
    """

    filename: str
    url: str
    sha256: str = ""
    size: int = 0
    requires_python: str = ""
    upload_time: str = ""
    yanked: str | None = None
    sidecar: str | None = None


class Group(NamedTuple):
    """The rows of one version on one listing.

    Attributes:
        text: the version, normalised.
        since: the day of the first upload (ISO 8601), empty where unknown.
        packed: the rows.
    """

    text: str
    since: str
    packed: bytes

    def rows(self) -> tuple[Row, ...]:
        """The rows, in the order of the listing."""
        return tuple(map(Row._make, marshal.loads(self.packed)))  # noqa: S302 - our own bytes, checked when read


def grouped(rows: Iterable[Row], distribution: str) -> tuple[Group, ...]:
    """The rows that are files of a distribution (canonical name) by version, newest first."""
    found: dict[Version, list[Row]] = {}
    for row in rows:
        named = read_filename(row.filename, distribution)
        if named is not None:
            found.setdefault(named.version, []).append(row)
    return tuple(
        Group(str(version), _first_day(some), marshal.dumps([tuple(row) for row in some], 4))
        for version, some in sorted(found.items(), key=itemgetter(0), reverse=True)
    )


def _first_day(rows: Iterable[Row]) -> str:
    """The day of the first upload; files of one version mostly come on one, so that few texts are read."""
    instants = map(_instant, {_to_the_minute(row.upload_time) for row in rows})
    return min((instant.date().isoformat() for instant in instants if instant), default="")


def _to_the_minute(instant: str) -> str:
    """A moment of UTC without what differs from file to file and says nothing of its day."""
    return f"{instant[:_MINUTE]}Z" if instant[-1:] == "Z" and len(instant) > _MINUTE + 1 else instant


def dist_file(row: Row, named: NamedFile, index: ListedBy | None = None) -> DistFile:
    """The file that a row lists; ``index`` is the manifest's, if it is one of those."""
    return DistFile(
        filename=row.filename,
        url=row.url,
        sha256=row.sha256,
        size=row.size,
        requires_python=_readable(row.requires_python),
        upload_time=_instant(row.upload_time),
        yanked=row.yanked,
        tags=named.tags,
        build=named.build,
        index=index,
    )


@cache
def _readable(requires_python: str) -> str:
    """The specifiers as PEP 440 has them; what cannot be understood admits any interpreter, as in pip."""
    specifiers = read_specifiers(requires_python)
    return "" if specifiers is None else str(specifiers)


def _instant(text: str) -> dt.datetime | None:
    """A moment in UTC where the text names no zone (PEP 700 wants ``Z``)."""
    if not text:
        return None
    try:
        instant = dt.datetime.fromisoformat(text)
    except ValueError:
        return None
    return instant if instant.tzinfo else instant.replace(tzinfo=dt.UTC)
