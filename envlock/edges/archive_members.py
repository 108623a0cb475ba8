"""What is in a wheel or an sdist, read from the archive without unpacking it."""

from __future__ import annotations

import tarfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO

_ZIPPED = frozenset({".whl", ".zip"})


def member_names(path: Path) -> Sequence[str]:
    """Return the names of all members of an archive."""
    if path.suffix in _ZIPPED:
        with zipfile.ZipFile(path) as archive:
            return archive.namelist()
    with tarfile.open(path) as opened:
        return opened.getnames()


def read_members(path: Path, wanted: Callable[[str, int], bool]) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield the regular files in an archive by name, each open until the next one.

    Args:
        path: the archive.
        wanted: whether to read a file of a name and a size in bytes.
    """
    if path.suffix in _ZIPPED:
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                if not info.is_dir() and wanted(info.filename, info.file_size):
                    with archive.open(info) as content:
                        yield info.filename, content
        return
    with tarfile.open(path) as opened:
        for member in opened:
            if member.isfile() and wanted(member.name, member.size):
                extracted = opened.extractfile(member)
                if extracted is not None:
                    yield member.name, extracted
