"""The RECORDs of an environment: which files each distribution installed, with their hashes.

A RECORD is a table of path, hash and size (Binary distribution format specification). Paths stay strings here
because an environment has tens of thousands.
"""

from __future__ import annotations

import csv
import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from packaging.utils import canonicalize_name

PACKAGES = "lib/python3.*/site-packages"
"""Where the distributions of a virtual environment lie, below its prefix."""
BYTECODE = "__pycache__/"
"""Part of every bytecode file's path; the interpreter makes such files anew, whatever a wheel contained."""
_SHA256 = "sha256="
_IN_WHEEL = re.compile(r"[^/]+\.data/")
"""Begins the name that a file has only in a wheel; uv leaves some rows with such names in the RECORD."""


class Recorded(NamedTuple):
    """One file of a distribution: its full path, and its sha256 and size, empty where RECORD has none."""

    path: str
    sha256: str
    size: str


class InstalledFolder(NamedTuple):
    """An installed distribution: its canonical name, its version, and its metadata folder."""

    name: str
    version: str
    folder: Path

    @property
    def path(self) -> Path:
        """The RECORD, which may be missing."""
        return self.folder / "RECORD"


class InstalledRecord(NamedTuple):
    """An installed distribution with the content of its RECORD.

    Attributes:
        name: its canonical name.
        version: its version.
        path: the RECORD.
        sha256: the hash of the RECORD; empty if it cannot be read.
        files: its files where they were installed, except bytecode, which the interpreter makes anew and
            which has no recorded hash.
    """

    name: str
    version: str
    path: Path
    sha256: str
    files: tuple[Recorded, ...]


def installed_folders(prefix: Path) -> Iterator[InstalledFolder]:
    """Yield every distribution of an environment that has a metadata folder."""
    for folder in prefix.glob(f"{PACKAGES}/*.dist-info"):
        name, _, version = folder.name.removesuffix(".dist-info").partition("-")
        if version and folder.is_dir():
            yield InstalledFolder(canonicalize_name(name), version, folder)


def installed_records(prefix: Path) -> tuple[InstalledRecord, ...]:
    """Return every distribution of an environment that has a metadata folder, with its RECORD."""
    return tuple(_read(installed) for installed in installed_folders(prefix))


def present_files(prefix: Path) -> frozenset[str]:
    """Return the full path of every file among the packages of an environment, except bytecode."""
    return frozenset(_walk(prefix))


def _walk(prefix: Path) -> Iterator[str]:
    for site in prefix.glob(PACKAGES):
        for folder, folders, names in os.walk(site):
            if "__pycache__" in folders:
                folders.remove("__pycache__")
            for name in names:
                yield f"{folder}/{name}"


def _read(installed: InstalledFolder) -> InstalledRecord:
    path = installed.path
    try:
        content = path.read_bytes()
    except OSError:
        return InstalledRecord(installed.name, installed.version, path, "", ())
    digest = hashlib.sha256(content).hexdigest()
    files = _files(content, f"{installed.folder.parent}/")
    return InstalledRecord(installed.name, installed.version, path, digest, files)


def _files(content: bytes, site: str) -> tuple[Recorded, ...]:
    try:
        rows = list(csv.reader(content.decode().splitlines()))
    except (UnicodeDecodeError, csv.Error):  # its hash shows that it has changed
        return ()
    files = []
    for row in rows:
        if len(row) >= 2 and BYTECODE not in row[0] and not _IN_WHEEL.match(row[0]):  # noqa: PLR2004 - path and hash
            path, digest, size = (site + row[0], row[1], *row[2:], "")[:3]
            if "/../" in path:
                path = os.path.normpath(path)
            files.append(Recorded(path, digest[len(_SHA256) :] if digest.startswith(_SHA256) else "", size))
    return tuple(files)
