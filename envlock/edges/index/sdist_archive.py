"""The few files of an sdist that tell its metadata, read out of the archive without unpacking it."""

from __future__ import annotations

import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

from envlock.edges.index.wheel_metadata import broken_file

_TELLING = re.compile(
    r"(?:\./)?[^/]+/(?P<inner>PKG-INFO|pyproject\.toml|setup\.cfg|[^/]+\.py"
    r"|(?:[^/]+/){0,2}[^/]+\.egg-info/(?:PKG-INFO|requires\.txt)|.+\.(?:pyx|pxd))"
)
"""Members below the one top folder; an egg-info folder lies there or within the source folder (``src/``).

Of the scripts beside ``setup.py`` some are parts of it (``setupext.py``). Sources in Cython may lie anywhere.
"""

_LIMIT = 1 << 22
"""Bytes: no such file is larger, and nobody shall fill the memory with one."""


def read_telling_files(path: Path) -> Mapping[str, str]:
    """Path below the top folder -> text.

    Raises:
        SurroundingsError: the file is no whole archive.
    """
    try:
        return _from_zip(path) if path.suffix == ".zip" else _from_tar(path)
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
        raise broken_file(path.name, f"{type(error).__name__}: {error}") from error


def _from_tar(path: Path) -> dict[str, str]:
    texts: dict[str, str] = {}
    with tarfile.open(path) as archive:
        for member in archive:
            if member.isfile() and member.size <= _LIMIT and (inner := _inner(member.name)):
                content = archive.extractfile(member)
                texts[inner] = _text(content.read) if content else ""
    return texts


def _from_zip(path: Path) -> dict[str, str]:
    texts: dict[str, str] = {}
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if member.file_size <= _LIMIT and (inner := _inner(member.filename)):
                with archive.open(member) as content:
                    texts[inner] = _text(content.read)
    return texts


def _inner(name: str) -> str:
    match = _TELLING.fullmatch(name)
    return match["inner"] if match else ""


def _text(read: Callable[[], bytes]) -> str:
    """Old files may be in any encoding; what counts in them is ASCII."""
    return read().decode("utf-8", errors="replace")
