"""Files as one index lists them, and the form in which listings are kept: by version, newest first.

A large project has thousands of files on its page and a solve looks at a few of its versions, so that the
rows of each version stay packed until one gets to them.
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

from envlock.edges.index.filenames import WHEEL, NamedFile, read_version, spelled_release
from envlock.edges.index.requirement_repair import read_specifiers
from envlock.model.frozen import dataclass
from envlock.model.path_parts import is_sha256
from envlock.model.published.catalogue import DistFile, ListedBy
from envlock.model.published.project_status import ACTIVE, ProjectStatus

_IN_UTC = methodcaller("endswith", "Z")
_MINUTE = len("2026-11-21T12:00")
_NO_STEM = "/"
"""What no file's name begins with."""

KeptRow = tuple[str, str, str, int, str, str, str | None, str | None]
"""A row as a plain tuple: the form in which it is kept, and made in a fifth of the time."""


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


class Page(NamedTuple):
    """What an index's page about one distribution says.

    Attributes:
        rows: its links.
        status: what it says of the project.
    """

    rows: Sequence[KeptRow]
    status: ProjectStatus = ACTIVE


@dataclass(frozen=True, slots=True)
class Groups:
    """The files of one distribution on one listing by version, newest first, as columns of equal length.

    Attributes:
        texts: the versions, normalised.
        since: the day of the first upload of each (ISO 8601), empty where unknown.
        starts: where the rows of each begin in ``packed``.
        packed: the rows of all.
        status: what the listing says of the project.
    """

    texts: Sequence[str] = ()
    since: Sequence[str] = ()
    starts: Sequence[int] = ()
    packed: bytes | memoryview = b""
    status: ProjectStatus = ACTIVE

    @property
    def known(self) -> bool:
        """Whether the listing knows the project: one that withholds its files does."""
        return bool(self.texts) or self.status.quarantined

    def __len__(self) -> int:
        return len(self.texts)

    def rows(self, place: int) -> list[KeptRow]:
        """The rows of the version at a place, in the order of the listing."""
        packed = memoryview(self.packed)[self.starts[place] :]  # marshal reads one document and stops
        rows: list[KeptRow] = marshal.loads(packed)  # noqa: S302 - our own, checked when read
        return rows


def grouped(rows: Iterable[KeptRow], distribution: str, status: ProjectStatus = ACTIVE) -> Groups:
    """The rows that are files of a distribution (canonical name) by version, newest first.

    Nothing of a quarantined project is to be had, whatever a mirror still lists.
    """
    if status.quarantined:
        return Groups(status=status)
    found: dict[Version, tuple[str, list[KeptRow]]] = {}
    by_spelling: dict[tuple[str, str], list[KeptRow]] = {}
    stem, add = _NO_STEM, list[KeptRow]().append
    for row in rows:
        filename = row[0]
        # Wheels of one version mostly stand together. What ends wrongly is left out when one gets there.
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
    """Where the rows of a version go; nowhere in ``found`` for what is no version of the distribution."""
    read = read_version(*spelling, distribution)
    if read is None:
        return []
    text, version = read
    return found.setdefault(version, (text, []))[1]


def _first_day(rows: Iterable[KeptRow]) -> str:
    """The day of the first upload, as far as times can be read; where all are in UTC one is read."""
    texts = [row[5] for row in rows]
    if all(map(_IN_UTC, texts)):
        first = min(texts)  # the order of such texts is that of time
        if len(first) > _MINUTE and (day := _day(f"{first[:_MINUTE]}Z")):
            return day
    return min(filter(None, map(_day, texts)), default="")


def _day(text: str) -> str:
    instant = _instant(text)
    return instant.date().isoformat() if instant else ""


def dist_file(row: Row, named: NamedFile, index: ListedBy | None = None) -> DistFile:
    """The file that a row lists; ``index`` is the manifest's, if it is one of those.

    A hash that is none tells none: the file's own is computed when it comes in.
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
