"""Where the files and folders are that a manifest names, and whether they are the ones that it means."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from envlock.edges.digests import file_sha256
from envlock.edges.index.local_path import local_path
from envlock.model.errors import RequestError
from envlock.model.project.package_sources import Direct, is_url
from envlock.model.published.catalogue import DistFile


def placed(file: DistFile, folder: Path) -> DistFile:
    """Return a file that can be opened from anywhere: a path relative to the project becomes a URL."""
    if not file.direct or is_url(file.url):
        return file
    slash = "/" if file.is_folder else ""
    return replace(file, url=(folder / file.url).absolute().as_uri() + slash)


def editable_folder(file: DistFile, folder: Path) -> Path:
    """Return the source folder of an editable distribution."""
    return local_path(placed(file, folder).url) or Path(file.url)


def checked_hash(direct: Direct, path: Path) -> str:
    """Return the sha256 of a file that a manifest names.

    Raises:
        RequestError: it is not there (``file-missing``), or is another one (``hash-mismatch``).
    """
    found = file_sha256(path)
    if not found:
        raise RequestError(
            "file-missing",
            f"{direct.filename} is not where the manifest says",
            where=str(path),
            hint="relative paths begin at the folder of envlock.toml",
        )
    if direct.sha256 and found != direct.sha256:
        raise RequestError(
            "hash-mismatch",
            f"{direct.filename} is not the file whose hash the manifest tells",
            where=str(path),
            why=f"sha256 {found}, expected {direct.sha256}",
            hint="bring that file back, or write the hash of this one",
        )
    return found
