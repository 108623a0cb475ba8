"""One file as one index lists it; the form in which pages are kept and merged."""

from __future__ import annotations

import datetime as dt
from functools import cache
from typing import NamedTuple

from envlock.edges.index.filenames import NamedFile
from envlock.edges.index.requirement_repair import read_specifiers
from envlock.model.catalogue import DistFile


class Row(NamedTuple):
    """One link of a page, as texts: a tuple, so that JSON keeps thousands of them cheaply.

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


def dist_file(row: Row, named: NamedFile) -> DistFile:
    """The file that a row lists."""
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
