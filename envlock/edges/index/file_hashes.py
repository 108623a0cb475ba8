"""The sha256 of files on the local disk, remembered until something touches them."""

from __future__ import annotations

import contextlib
from pathlib import Path

from envlock.edges.cache import Cache
from envlock.edges.digests import file_sha256

_KIND = "file-hashes"


class FileHashes:
    """Hashes each file once.

    A file counts as untouched while its inode, size, modification time (mtime) and change time (ctime) stay
    the same; programs can set the first of these times, but not the second.
    """

    __slots__ = ("_cache",)

    def __init__(self, cache: Cache) -> None:
        self._cache = cache

    def sha256(self, path: Path) -> str:
        """Return the hash in hexadecimal digits; empty for a file that cannot be read."""
        try:
            key = _state(path)
            known = self._cache.read(_KIND, key)
            if isinstance(known, str):
                return known
            found = file_sha256(path)
            if found and _state(path) == key:
                self._cache.keep(_KIND, key, found)
        except OSError:
            return ""
        return found

    def note(self, path: Path, sha256: str) -> None:
        """Remember a hash that was computed while the file was written."""
        with contextlib.suppress(OSError):
            self._cache.keep(_KIND, _state(path), sha256)


def _state(path: Path) -> str:
    found = path.stat()
    return f"{path}|{found.st_ino}|{found.st_size}|{found.st_mtime_ns}|{found.st_ctime_ns}"
