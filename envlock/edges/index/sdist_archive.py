"""The few files of an sdist that state its metadata, read from the archive without unpacking it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import IO

from envlock.analysis.sdists.own_packages import PACKAGE
from envlock.analysis.sdists.translated_sources import FIELDS, HEAD, SUFFIXES
from envlock.edges.archive_damage import damage_raised_as
from envlock.edges.archive_members import read_members
from envlock.edges.index.wheel_metadata import broken_file

_TELLING = (
    r"PKG-INFO|pyproject\.toml|setup\.cfg|[^/]+\.py"
    r"|(?:[^/]+/){0,2}[^/]+\.egg-info/(?:PKG-INFO|requires\.txt)|.+\.(?:pyx|pxd|c|cpp|cc|cxx)"
    rf"|{PACKAGE}"
)
"""Paths below the single top folder; egg-info lies there or within the source folder (``src/``).

Some of the scripts beside ``setup.py`` are part of it (``setupext.py``), and it may import packages.
Cython sources may lie anywhere."""

_LIMIT = 1 << 22
"""Size limit in bytes: no such file is larger, and none may fill the memory."""

_LONGEST_C = 1 << 25
"""Size limit of a C file in bytes, because Cython writes megabytes."""
_HEAD = 64
"""Bytes in which such a file names its generator."""


def read_metadata_files(path: Path) -> Mapping[str, str]:
    """Map paths below the top folder to texts.

    For C that Cython generated, the text is Cython's version and the ``FIELDS`` used, separated by blanks.

    Raises:
        SurroundingsError: the file is not a whole archive.
    """
    return _texts(path, lambda name: re.fullmatch(_TELLING, name) is not None)


def read_packages(path: Path, packages: Collection[str]) -> Mapping[str, str]:
    """Map paths below the top folder to texts, of all modules in some top-level packages.

    Raises:
        SurroundingsError: the file is not a whole archive.
    """
    return _texts(path, lambda name: name.endswith(".py") and name.partition("/")[0] in packages)


def _texts(path: Path, wanted: Callable[[str], bool]) -> dict[str, str]:
    def counts(name: str, size: int) -> bool:
        inner = _inner(name)
        return size <= (_LONGEST_C if inner.endswith(SUFFIXES) else _LIMIT) and wanted(inner)

    with damage_raised_as(partial(broken_file, path.name)):
        files = read_members(path, counts)
        return dict(text for name, content in files for text in _text_of(_inner(name), content))


def _inner(name: str) -> str:
    """Return the path below the single top folder; empty for what lies beside it."""
    return name.removeprefix("./").partition("/")[2]


def _text_of(path: str, content: IO[bytes]) -> Iterator[tuple[str, str]]:
    """Yield a file's text, or the summary of a C file.

    Old files may be in any encoding; the parts that count are ASCII.
    """
    if not path.endswith(SUFFIXES):
        yield path, content.read().decode("utf-8", errors="replace")
    else:
        start = content.read(_HEAD)
        if head := re.match(HEAD, start):
            text = start + content.read()
            yield path, " ".join((head[1].decode(), *(name for name, mark in FIELDS.items() if mark in text)))
