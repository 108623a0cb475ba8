"""Distribution files that need no download: those in the cache and those on the local disk."""

from __future__ import annotations

import hashlib
from pathlib import Path

from envlock.edges.cache import Cache
from envlock.edges.index.file_hashes import FileHashes
from envlock.edges.index.local_path import local_path
from envlock.model.errors import SurroundingsError
from envlock.model.project.package_sources import without_credentials
from envlock.model.published.catalogue import DistFile

NOT_AT_HAND = "not-at-hand"
"""Error code for a file that would have to be fetched."""
UNHASHED = "unhashed-files"
"""The kind of documents that record, by URL, the hash of files for which no index gives one."""


def content_key(file: DistFile) -> str:
    """Return the cache key of what a file contains: its hash, or its URL where the index gives none."""
    return file.sha256 or without_credentials(file.url)


class KeptFiles:
    """Hands files out; hashes are checked when a file comes in, and again once anything touches it."""

    __slots__ = ("_cache", "hashes")

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self.hashes = FileHashes(cache)

    def local_file(self, file: DistFile) -> Path:
        """Return the file's path on the local disk.

        Raises:
            SurroundingsError: ``NOT_AT_HAND``.
        """
        own = local_path(file.url)
        if own is not None and file.sha256 and self.hashes.sha256(own) == file.sha256:
            return own
        found = self.cached(file) if own is None else None
        if found is None:
            raise SurroundingsError(
                NOT_AT_HAND, f"{file.filename} is not in the cache", where=without_credentials(file.url)
            )
        return found

    def cached(self, file: DistFile) -> Path | None:
        """Return the file's place in the cache, if it is there and intact."""
        place, expected = self.place(file), self._expected(file)
        return place if expected and self.hashes.sha256(place) == expected else None

    def place(self, file: DistFile) -> Path:
        """Return where the cache keeps a file: by its hash, or by its URL if the index gives no hash."""
        url = without_credentials(file.url)
        return self._cache.file(file.sha256 or hashlib.sha256(url.encode()).hexdigest(), file.filename)

    def _expected(self, file: DistFile) -> str:
        """Return the hash from the index, else the one noted when the file came in; empty if unknown."""
        known = file.sha256 or self._cache.read(UNHASHED, without_credentials(file.url))
        return known if isinstance(known, str) else ""
