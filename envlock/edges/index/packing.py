"""Sources that a manifest names, packed as an archive: a folder as it is now, or a repository at a commit."""

from __future__ import annotations

from pathlib import Path
from typing import IO

from envlock.edges.cache import Cache
from envlock.edges.index.local_path import local_path
from envlock.edges.index.repositories import Repositories
from envlock.edges.index.source_folders import pack_folder
from envlock.model.published.catalogue import DistFile


def pack(file: DistFile, target: IO[bytes], cache: Cache, *, offline: bool) -> str:
    """Write sources as an archive, and return its sha256.

    Raises:
        RequestError: it is not a source folder, or the revision is unknown.
        SurroundingsError: the repository does not answer.
    """
    if file.is_folder:
        return pack_folder(local_path(file.url) or Path(file.url), target)
    return Repositories(cache, offline=offline).pack(file.url, target)
