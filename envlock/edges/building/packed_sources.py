"""Pack source folders into one archive that is identical wherever it is made."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

if TYPE_CHECKING:
    from io import BufferedRandom

_TIME = 315_532_800
"""1980-01-01: wheels are ZIP files, which have no earlier times."""


def pack_sources(folder: Path, files: Iterable[Path], top: str, target: IO[bytes]) -> str:
    """Write files as a tar file, gzipped without compression, and return its sha256.

    The same files give the same bytes with any version of any tool: sorted, without times and owners. Links
    that lead out of the folder are left out: what they lead to is not there where the sources are unpacked.

    Args:
        folder: the root of the sources.
        files: files and symbolic links below it.
        top: the archive's one top-level folder.
        target: an empty file, open to write and read.
    """
    import gzip  # noqa: PLC0415 - few requests name sources
    import tarfile  # noqa: PLC0415

    with (
        gzip.GzipFile(filename="", mode="wb", compresslevel=0, fileobj=target, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive,
    ):
        for path in sorted(files):
            if leads_out(folder, path):
                continue
            member = tarfile.TarInfo(f"{top}/{path.relative_to(folder).as_posix()}")
            member.mtime = _TIME
            if path.is_symlink():
                member.type, member.linkname = tarfile.SYMTYPE, str(_relative(path))
                archive.addfile(member)
                continue
            status = path.stat()
            member.size, member.mode = status.st_size, 0o755 if status.st_mode & 0o100 else 0o644
            with path.open("rb") as content:
                archive.addfile(member, content)
    target.seek(0)
    return hashlib.file_digest(cast("BufferedRandom", target), "sha256").hexdigest()


def leads_out(folder: Path, path: Path) -> bool:
    """Whether a path below a folder is a symbolic link that leads, by itself or by others, out of that."""
    if not path.is_symlink():
        return False
    there = path.readlink()
    if not there.is_absolute() and ".." in _normal(path.parent.relative_to(folder) / there).parts[:1]:
        return True
    return not _real(path).is_relative_to(_real(folder))


def _relative(link: Path) -> Path:
    """Return where a link leads, seen from itself: no archive may hold an absolute one (PEP 706)."""
    there = link.readlink()
    return Path(os.path.relpath(_real(there), _real(link.parent))) if there.is_absolute() else there


def _normal(path: Path) -> Path:
    return Path(os.path.normpath(path))


def _real(path: Path) -> Path:
    """Return the path without links; unlike ``resolve``, a circle of links is no error to any Python."""
    return Path(os.path.realpath(path))
