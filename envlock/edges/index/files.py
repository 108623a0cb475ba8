"""Distribution files on the local disk: from a place that has them, from the cache, or downloaded."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO

from envlock.edges.cache import Cache
from envlock.edges.index.http import Http
from envlock.edges.index.kept_files import UNHASHED, KeptFiles
from envlock.edges.index.local_path import local_path
from envlock.model.errors import RequestError, SurroundingsError
from envlock.model.project.package_sources import REPOSITORY, without_credentials
from envlock.model.published.catalogue import FILE_GONE, NEEDS_BUILD, DistFile

FileProgress = Callable[[str, int, int], None]
"""Called while a file is downloaded: its name, bytes so far and bytes in all (0 if unknown)."""


class FetchedFiles:
    """Like ``KeptFiles``, whose cache it fills, but fetches over the network what nothing else has."""

    __slots__ = ("_cache", "_http", "_kept", "_progress")

    def __init__(self, http: Http, cache: Cache, progress: FileProgress) -> None:
        self._http = http
        self._cache = cache
        self._kept = KeptFiles(cache)
        self._progress = progress

    def get(self, file: DistFile, copies: Iterable[Path]) -> Path:
        """Return a local path of a file, from ``copies`` if one of them is identical.

        Raises:
            SurroundingsError: it cannot be fetched, or is not what the index promised (``hash-mismatch``).
        """
        if file.sha256:
            for path in copies:
                if self._kept.hashes.sha256(path) == file.sha256:
                    return path
        own = local_path(file.url)
        if own is not None and not file.is_folder:
            return self._checked_local(file, own)
        return self.cached(file) or self._bring(file)

    def keep(self, path: Path, file: DistFile) -> None:
        """Cache a copy of a local file under the name and hash that are now known."""
        place = self._kept.place(file)
        if self._kept.hashes.sha256(place) != file.sha256:
            with self._cache.writing(place) as target, path.open("rb") as source:
                shutil.copyfileobj(source, target)

    def cached(self, file: DistFile) -> Path | None:
        """Return the file's path if it need not be downloaded."""
        own = local_path(file.url)
        if own is None or file.is_folder:
            return self._kept.cached(file)
        return own if own.is_file() else None

    def _checked_local(self, file: DistFile, path: Path) -> Path:
        found = self._kept.hashes.sha256(path)
        if not found:
            raise SurroundingsError(
                FILE_GONE,
                f"{file.filename} is no longer where it was",
                where=str(path),
                hint="correct the path in the manifest"
                if file.direct
                else "`pip config list` shows index-url and find-links",
            )
        if file.sha256 and found != file.sha256:
            raise hash_mismatch(file.filename, str(path), file.sha256, found)
        return path

    def _bring(self, file: DistFile) -> Path:
        """Bring a file into the cache: sources are packed, everything else is downloaded."""
        place = self._kept.place(file)
        with self._cache.writing(place) as target:
            if file.is_folder or file.url.startswith(REPOSITORY):
                found = self._pack(file, target)
            else:
                found = self._http.download(
                    file.url,
                    target,
                    lambda done, total: self._progress(file.filename, done, total or file.size),
                )
            if file.sha256 and found != file.sha256:
                if file.is_folder:
                    raise _changed_since(file)
                raise hash_mismatch(file.filename, file.url, file.sha256, found)
            if not file.sha256:
                target.seek(0)
                refuse_page(target.read(1), file.url)
        self._kept.hashes.note(place, found)
        if not file.sha256 and not file.is_folder:  # a folder's content may differ tomorrow
            self._cache.write(UNHASHED, without_credentials(file.url), found)
        return place

    def _pack(self, file: DistFile, target: IO[bytes]) -> str:
        """Write sources as an archive: a folder as it is now, or a repository at a commit."""
        from envlock.edges.index.repositories import Repositories  # noqa: PLC0415 - few manifests name sources
        from envlock.edges.index.source_folders import pack_folder  # noqa: PLC0415 - likewise

        if file.is_folder:
            return pack_folder(local_path(file.url) or Path(file.url), target)
        return Repositories(self._cache, offline=self._http.offline).pack(file.url, target)


def hash_mismatch(filename: str, where: str, expected: str, found: str) -> SurroundingsError:
    """Return the error for a file that differs from the one that the index lists."""
    return SurroundingsError(
        "hash-mismatch",
        f"{filename} is not the file that was listed",
        where=without_credentials(where),
        why=f"sha256 {found}, expected {expected}",
        hint="try again; if it happens again, its server or a proxy serves an altered file",
    )


def unstated(file: DistFile) -> SurroundingsError:
    """Return the error for sources that do not state their dependencies."""
    return SurroundingsError(
        NEEDS_BUILD,
        f"{file.filename} does not state its dependencies",
        where=without_credentials(file.url),
        why="only its build backend knows them",
        hint="ask for a version that has a wheel",
    )


def refuse_page(content: bytes, url: str) -> None:
    """Refuse a page served in place of a file that has no published hash.

    Raises:
        SurroundingsError: ``index-error``: it begins like HTML, as no distribution does.
    """
    if content.startswith(b"<"):
        raise SurroundingsError(
            "index-error",
            "a web page came instead of the file",
            where=without_credentials(url),
            why="it looks like a login page or an error page",
            hint="a proxy or a login may be in between; `pip config list` shows which indexes are set up",
        )


def _changed_since(file: DistFile) -> RequestError:
    return RequestError(
        "sources-changed",
        "the source folder has changed since it was locked",
        where=str(local_path(file.url)),
        why=f"{file.filename} was packed from it, and is not in the cache here",
        hint="restore what it held, or lock what it holds now: envlock solve GROUP",
    )
