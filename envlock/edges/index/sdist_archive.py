"""The few files of an sdist that tell its metadata, read out of the archive without unpacking it."""

from __future__ import annotations

import re
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from envlock.edges.archive_damage import damage_told_by
from envlock.edges.index.own_packages import demanded_packages
from envlock.edges.index.wheel_metadata import broken_file

_TELLING = re.compile(
    r"PKG-INFO|pyproject\.toml|setup\.cfg|[^/]+\.py"
    r"|(?:[^/]+/){0,2}[^/]+\.egg-info/(?:PKG-INFO|requires\.txt)|.+\.(?:pyx|pxd)"
)
"""Paths below the one top folder; an egg-info folder lies there or within the source folder (``src/``).

Of the scripts beside ``setup.py`` some are parts of it (``setupext.py``). Sources in Cython may lie anywhere.
"""

_PACKAGE = re.compile(r"(?P<name>[^/]+)/__init__\.py")
"""A package that ``setup.py`` can import, for its folder is where the script runs."""

_LIMIT = 1 << 22
"""Bytes: no such file is larger, and nobody shall fill the memory with one."""


def read_telling_files(path: Path) -> Mapping[str, str]:
    """Path below the top folder -> text; the packages that ``setup.py`` cannot do without are among them.

    Raises:
        SurroundingsError: the file is no whole archive.
    """
    packages: set[str] = set()

    def tells(name: str) -> bool:
        package = _PACKAGE.fullmatch(name)
        packages.update({package["name"]} if package else ())
        return _TELLING.fullmatch(name) is not None

    texts = _texts(path, tells)
    demanded = demanded_packages(texts.get("setup.py", ""), packages)
    if demanded:
        texts |= _texts(path, lambda name: name.endswith(".py") and name.partition("/")[0] in demanded)
    return texts


def _texts(path: Path, wanted: Callable[[str], bool]) -> dict[str, str]:
    with damage_told_by(partial(broken_file, path.name)):
        return dict(_from_zip(path, wanted) if path.suffix == ".zip" else _from_tar(path, wanted))


def _from_tar(path: Path, wanted: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
    with tarfile.open(path) as archive:
        for member in archive:
            inner = _inner(member.name)
            if member.isfile() and member.size <= _LIMIT and wanted(inner):
                content = archive.extractfile(member)
                yield inner, _text(content.read) if content else ""


def _from_zip(path: Path, wanted: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            inner = _inner(member.filename)
            if member.file_size <= _LIMIT and wanted(inner):
                with archive.open(member) as content:
                    yield inner, _text(content.read)


def _inner(name: str) -> str:
    """The path below the one top folder; empty for what lies beside it."""
    return name.removeprefix("./").partition("/")[2]


def _text(read: Callable[[], bytes]) -> str:
    """Old files may be in any encoding; what counts in them is ASCII."""
    return read().decode("utf-8", errors="replace")
