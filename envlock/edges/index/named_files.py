"""Files and folders that a manifest names itself, each as the only release of its distribution."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from envlock.edges.cache import Cache
from envlock.edges.digests import file_sha256
from envlock.edges.index.files import FetchedFiles
from envlock.edges.index.local_path import local_path
from envlock.edges.index.named_places import checked_hash, editable_folder, placed
from envlock.model.project.package_sources import Direct, NamedBy, named_by
from envlock.model.published.catalogue import DistFile, Release
from envlock.model.published.metadata import Metadata

if TYPE_CHECKING:
    from envlock.edges.index.named_sources import NamedSources


class NamedFiles:
    """Reads what a project's manifest names; relative paths start at the project's folder."""

    __slots__ = ("_cache", "_files", "_folder", "_known", "_offline")

    def __init__(self, folder: Path, files: FetchedFiles, cache: Cache, *, offline: bool) -> None:
        self._folder = folder
        self._files = files
        self._cache = cache
        self._offline = offline
        self._known: dict[Direct, Release] = {}

    def release(self, direct: Direct) -> Release:
        """Return the release of a named file, with the file's hash.

        A file at a URL without a hash is fetched once to compute it; the URL is assumed to keep its content.

        Raises:
            RequestError: the file is not there (``file-missing``), or its hash is not the stated one.
            SurroundingsError: it cannot be fetched.
        """
        if direct not in self._known:
            self._known[direct] = self._read(direct)
        return self._known[direct]

    def placed(self, file: DistFile) -> DistFile:
        """Return a file that can be opened from anywhere: a path relative to the project becomes a URL."""
        return placed(file, self._folder)

    def metadata(self, distribution: str, file: DistFile) -> Metadata:
        """Return what the sources of an editable distribution state.

        Raises:
            SurroundingsError: ``metadata-needs-build``: they do not state their dependencies.
        """
        return self._sources.metadata(distribution, file)

    @property
    def _sources(self) -> NamedSources:
        from envlock.edges.index.named_sources import NamedSources  # noqa: PLC0415 - few manifests name sources

        return NamedSources(self._folder, self._files, self._cache, offline=self._offline)

    def _read(self, direct: Direct) -> Release:
        if direct.editable:
            return self._sources.editable_release(direct)
        of_sources = direct.is_repository or direct.is_folder or direct.version
        named = None if of_sources else named_by(direct.filename)
        if named is None or named.distribution != direct.distribution:
            return self._sources.release(direct)
        file = self._file(direct, named)
        placed = self.placed(file)
        path = local_path(placed.url)
        if path is not None:
            file = replace(file, sha256=checked_hash(direct, path), size=path.stat().st_size)
        elif not direct.sha256:
            here = self._files.get(placed, ())
            file = replace(file, sha256=file_sha256(here), size=here.stat().st_size)
        return Release.of(direct.distribution, named.version, (file,))

    def folder(self, file: DistFile) -> Path:
        """Return the source folder of an editable distribution."""
        return editable_folder(file, self._folder)

    def packed(self, file: DistFile) -> DistFile:
        """Return an sdist as it is; for an editable distribution, what its folder holds, packed as one."""
        if not file.editable:
            return file
        direct = next(known for known in self._known if known.editable and known.place == file.url)
        version = self._known[direct].text
        of_content = replace(direct, editable=False, place=f"{direct.place}/", version=version)
        return self.release(of_content).files[0]

    def _file(self, direct: Direct, named: NamedBy) -> DistFile:
        return DistFile(
            filename=direct.filename,
            url=direct.place,
            sha256=direct.sha256,
            tags=named.tags,
            build=named.build,
            direct=True,
        )
