"""Files as one index lists them, and the form in which listings are kept: by version, newest first.

A large project has thousands of files on its page and a solve looks at few of its versions, so the rows of
each version stay packed until they are needed.
"""

from __future__ import annotations

import datetime as dt
import marshal
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import accumulate
from operator import methodcaller
from typing import NamedTuple

from packaging.version import Version

from envlock.analysis.requirement_repair import read_specifiers
from envlock.edges.index.filenames import WHEEL, NamedFile, read_version, spelled_release
from envlock.model.frozen import dataclass
from envlock.model.path_parts import is_sha256
from envlock.model.published.catalogue import DistFile, ListedBy
from envlock.model.published.project_status import ACTIVE, ProjectStatus

_IN_UTC = methodcaller("endswith", "Z")
_MINUTE = len("2026-11-21T12:00")
_NO_STEM = "/"
"""A prefix that no file name has."""

KeptRow = tuple[str, str, str, int, str, str, str | None, str | None]
"""A row as a plain tuple: the form in which it is kept, created five times as fast as a ``Row``."""


class Row(NamedTuple):
    """One link of a page, as text.

    Attributes:
        filename: the file's name.
        url: its absolute URL.
        sha256: its hash, empty if unknown.
        size: in bytes, 0 if unknown.
        requires_python: the interpreters it is for, empty for any.
        upload_time: ISO 8601, empty if unknown.
        yanked: the reason if it was withdrawn, ``None`` if not.
        sidecar: the sha256 of its separate metadata file (PEP 658), empty if the index does not give it;
            ``None`` if there is no such file.
    """

    filename: str
    url: str
    sha256: str = ""
    size: int = 0
    requires_python: str = ""
    upload_time: str = ""
    yanked: str | None = None
    sidecar: str | None = None


class Page(NamedTuple):
    """An index's page about one distribution.

    Attributes:
        rows: its links.
        status: the status it gives the project.
    """

    rows: Sequence[KeptRow]
    status: ProjectStatus = ACTIVE


@dataclass(frozen=True, slots=True)
class Groups:
    """One listing's files of one distribution by version, newest first, as columns of equal length.

    Attributes:
        texts: the versions, normalised.
        since: the day of each version's first upload (ISO 8601), empty if unknown.
        starts: where each version's rows begin in ``packed``.
        packed: all rows.
        status: the status that the listing gives the project.
    """

    texts: Sequence[str] = ()
    since: Sequence[str] = ()
    starts: Sequence[int] = ()
    packed: bytes | memoryview = b""
    status: ProjectStatus = ACTIVE

    @property
    def known(self) -> bool:
        """Whether the listing knows the project, even if it withholds the files."""
        return bool(self.texts) or self.status.quarantined

    def __len__(self) -> int:
        return len(self.texts)

    def rows(self, place: int) -> list[KeptRow]:
        """Return the rows of the version at ``place``, in the order of the listing."""
        packed = memoryview(self.packed)[self.starts[place] :]  # marshal reads one document and stops
        rows: list[KeptRow] = marshal.loads(packed)  # noqa: S302 - our own, checked when read
        return rows


def grouped(rows: Iterable[KeptRow], distribution: str, status: ProjectStatus = ACTIVE) -> Groups:
    """Group the rows that are files of a distribution (canonical name) by version, newest first.

    A quarantined project has no files, whatever a mirror still lists.
    """
    if status.quarantined:
        return Groups(status=status)
    found: dict[Version, tuple[str, list[KeptRow]]] = {}
    by_spelling: dict[tuple[str, str], list[KeptRow]] = {}
    stem, add = _NO_STEM, list[KeptRow]().append
    for row in rows:
        filename = row[0]
        # Wheels of one version mostly stand together. Malformed endings are dropped when rows are decoded.
        if not (filename.startswith(stem) and filename.endswith(WHEEL)):
            spelling = spelled_release(filename)
            if spelling is None:
                continue
            if spelling not in by_spelling:
                by_spelling[spelling] = _rows_of(spelling, found, distribution)
            add = by_spelling[spelling].append
            stem = f"{spelling[0]}-{spelling[1]}-" if filename.endswith(WHEEL) else _NO_STEM
        add(row)
    versions = [found[version] for version in sorted(found, reverse=True)]
    packed = [marshal.dumps(list(map(tuple, some)), 4) for _, some in versions]
    return Groups(
        texts=[text for text, _ in versions],
        since=[_first_day(some) for _, some in versions],
        starts=list(accumulate(map(len, packed), initial=0))[:-1],
        packed=b"".join(packed),
        status=status,
    )


def _rows_of(
    spelling: tuple[str, str], found: dict[Version, tuple[str, list[KeptRow]]], distribution: str
) -> list[KeptRow]:
    """Return the list for a version's rows; a throw-away one if the version is invalid."""
    read = read_version(*spelling, distribution)
    if read is None:
        return []
    text, version = read
    return found.setdefault(version, (text, []))[1]


def _first_day(rows: Iterable[KeptRow]) -> str:
    """Return the day of the first upload, as far as times can be read; if all are UTC, only one is parsed."""
    texts = [row[5] for row in rows]
    if all(map(_IN_UTC, texts)):
        first = min(texts)  # such texts sort by time
        if len(first) > _MINUTE and (day := _day(f"{first[:_MINUTE]}Z")):
            return day
    return min(filter(None, map(_day, texts)), default="")


def _day(text: str) -> str:
    instant = _instant(text)
    return instant.date().isoformat() if instant else ""


def dist_file(row: Row, named: NamedFile, index: ListedBy | None = None) -> DistFile:
    """Return the file that a row lists; ``index`` is set if it is one of the manifest's.

    An invalid hash counts as none: the file's own is computed when it comes in.
    """
    return DistFile(
        filename=row.filename,
        url=row.url,
        sha256=row.sha256 if is_sha256(row.sha256) else "",
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
    """Return the specifiers as PEP 440 has them; unreadable ones admit any interpreter, as in pip."""
    specifiers = read_specifiers(requires_python)
    return "" if specifiers is None else str(specifiers)


def _instant(text: str) -> dt.datetime | None:
    """Parse a time, as UTC if the text names no zone (PEP 700 requires ``Z``)."""
    if not text:
        return None
    try:
        instant = dt.datetime.fromisoformat(text)
    except ValueError:
        return None
    return instant if instant.tzinfo else instant.replace(tzinfo=dt.UTC)
