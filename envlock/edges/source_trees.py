"""Source trees out of source archives."""

from __future__ import annotations

import tarfile
import zipfile
import zlib
from pathlib import Path


def unpack_sdist(sdist: Path, into: Path) -> Path:
    """Unpack a source archive; its one folder at the top.

    Args:
        sdist: a zip archive, or a tar archive of any compression.
        into: a folder that is made; nothing is written outside of it.

    Raises:
        ValueError: it is no archive, wants to write elsewhere, or has not one folder at the top.
    """
    into.mkdir()
    try:
        if sdist.suffix == ".zip":
            with zipfile.ZipFile(sdist) as archive:
                archive.extractall(into)  # noqa: S202 - zipfile keeps members inside
        else:
            with tarfile.open(sdist) as archive:
                archive.extractall(into, filter="data")
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise ValueError(f"it cannot be unpacked: {error}") from error
    tops = [path for path in into.iterdir() if path.is_dir()]
    if len(tops) != 1:
        raise ValueError("it has not one folder at the top")
    return tops[0]
