"""The RECORDs of an environment: which files each distribution installed, with their hashes.

A RECORD is a table of path, hash and size (Binary distribution format specification). Paths stay texts here:
an environment has tens of thousands.
"""

from __future__ import annotations

import csv
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from packaging.utils import canonicalize_name

PACKAGES = "lib/python3.*/site-packages"
"""Where the distributions of a virtual environment lie, below its prefix."""
BYTECODE = "__pycache__/"
"""What the path of every file of bytecode has, which the interpreter makes anew whatever a wheel brought."""
_SHA256 = "sha256="


class Recorded(NamedTuple):
    """One file of a distribution: its whole path, and its sha256 as RECORD has it, empty without one."""

    path: str
    sha256: str


class InstalledFolder(NamedTuple):
    """A distribution that is installed: its canonical name, its version, and its folder of metadata."""

    name: str
    version: str
    folder: Path

    @property
    def path(self) -> Path:
        """The RECORD, which may be missing."""
        return self.folder / "RECORD"


class InstalledRecord(NamedTuple):
    """A distribution that is installed, with what its RECORD says.

    Attributes:
        name: its canonical name.
        version: its version.
        path: the RECORD.
        sha256: the hash of the RECORD; empty where it cannot be read.
        files: its files but for bytecode, which the interpreter makes anew and no hash is recorded of.
    """

    name: str
    version: str
    path: Path
    sha256: str
    files: tuple[Recorded, ...]


def installed_folders(prefix: Path) -> Iterator[InstalledFolder]:
    """Every distribution of an environment that has a folder of metadata."""
    for folder in prefix.glob(f"{PACKAGES}/*.dist-info"):
        name, _, version = folder.name.removesuffix(".dist-info").partition("-")
        if version and folder.is_dir():
            yield InstalledFolder(canonicalize_name(name), version, folder)


def installed_records(prefix: Path) -> tuple[InstalledRecord, ...]:
    """Every distribution of an environment that has a folder of metadata, its RECORD read."""
    return tuple(_read(installed) for installed in installed_folders(prefix))


def present_files(prefix: Path) -> frozenset[str]:
    """The whole path of every file among the packages of an environment, bytecode aside."""
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
    except (UnicodeDecodeError, csv.Error):  # its hash tells that it is not as it was
        return ()
    files = []
    for row in rows:
        if len(row) >= 2 and BYTECODE not in row[0]:  # noqa: PLR2004 - path and hash
            path, digest = site + row[0], row[1]
            if "/../" in path:
                path = os.path.normpath(path)
            files.append(Recorded(path, digest[len(_SHA256) :] if digest.startswith(_SHA256) else ""))
    return tuple(files)
