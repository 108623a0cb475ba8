"""Files and folders that a manifest names itself, each as the only release of its distribution."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from envlock.edges.digests import file_sha256
from envlock.edges.index.core_metadata import to_metadata
from envlock.edges.index.files import Files
from envlock.edges.index.local_path import local_path
from envlock.edges.index.repositories import split_revision
from envlock.edges.index.sdist_archive import read_telling_files
from envlock.edges.index.sdist_metadata import unstated
from envlock.edges.index.source_folders import folder_fields, folder_version
from envlock.edges.index.source_versions import stated_version
from envlock.model.errors import RequestError
from envlock.model.project.package_sources import ARCHIVES, REPOSITORY, Direct, NamedBy, is_url, named_by
from envlock.model.published.catalogue import DistFile, Release
from envlock.model.published.metadata import Metadata

_TAG = r"(?:v|release-|.*-v?)?(\d+(?:\.\d+)+\w*)"
"""Matches a tag that is a version, perhaps after a word; a commit or a branch with a number does not
match."""


class NamedFiles:
    """Reads what a project's manifest names; relative paths start at the project's folder."""

    __slots__ = ("_files", "_folder", "_known")

    def __init__(self, folder: Path, files: Files) -> None:
        self._folder = folder
        self._files = files
        self._known: dict[Direct, Release] = {}

    def release(self, direct: Direct) -> Release:
        """Return the release of a named file, with the file's hash.

        A file at a URL without a hash is fetched once to compute it; the URL is assumed to keep its content.

        Raises:
            RequestError: the file is not there (``file-missing``), or its hash is not the stated one.
            SurroundingsError: it cannot be had.
        """
        if direct not in self._known:
            self._known[direct] = self._read(direct)
        return self._known[direct]

    def placed(self, file: DistFile) -> DistFile:
        """Return a file that can be opened from anywhere: a path relative to the project becomes a URL."""
        if not file.direct or is_url(file.url):
            return file
        slash = "/" if file.is_folder else ""
        return replace(file, url=(self._folder / file.url).absolute().as_uri() + slash)

    def _read(self, direct: Direct) -> Release:
        if direct.editable:
            return self._folder_release(direct)
        of_sources = direct.is_repository or direct.is_folder or direct.version
        named = None if of_sources else named_by(direct.filename)
        if named is None or named.distribution != direct.distribution:
            return self._sources_release(direct)
        file = self._file(direct, named)
        placed = self.placed(file)
        path = local_path(placed.url)
        if path is not None:
            file = replace(file, sha256=_hash(direct, path), size=path.stat().st_size)
        elif not direct.sha256:
            here = self._files.get(placed, ())
            file = replace(file, sha256=file_sha256(here), size=here.stat().st_size)
        return Release.of(direct.distribution, named.version, (file,))

    def _sources_release(self, direct: Direct) -> Release:
        """Return sources with no file name to read: a folder, an archive named by revision, a repository."""
        url, ending = direct.place, ".zip" if direct.place.endswith(".zip") else ".tar.gz"
        if direct.is_repository:
            commit = self._files.repositories.commit(direct.place)
            fragment = f"#subdirectory={direct.subdirectory}" if direct.subdirectory else ""
            url = f"{REPOSITORY}{split_revision(direct.place)[0]}@{commit}{fragment}"
        file = DistFile(filename=f"sources{ending}", url=url, sha256=direct.sha256, direct=True)
        placed = self.placed(file)
        if (own := local_path(placed.url)) is not None and not direct.is_folder:
            _hash(direct, own)
        path = self._files.get(placed, ())
        version = direct.version or stated_version(read_telling_files(path)) or _of_revision(direct)
        if not version:
            raise _without_version(direct)
        name = direct.distribution.replace("-", "_")
        file = replace(
            file,
            filename=f"{name}-{version}{ending}",
            sha256=file_sha256(path),
            size=path.stat().st_size,
        )
        self._files.keep(path, file)
        return Release.of(direct.distribution, version, (file,))

    def folder(self, file: DistFile) -> Path:
        """Return the source folder of an editable distribution."""
        return local_path(self.placed(file).url) or Path(file.url)

    def packed(self, file: DistFile) -> DistFile:
        """Return an sdist as it is; for an editable distribution, what its folder holds, packed as one."""
        if not file.editable:
            return file
        direct = next(one for one in self._known if one.editable and one.place == file.url)
        version = self._known[direct].text
        of_content = replace(direct, editable=False, place=f"{direct.place}/", version=version)
        return self.release(of_content).files[0]

    def metadata(self, distribution: str, file: DistFile) -> Metadata:
        """Return what the sources of an editable distribution state.

        Raises:
            SurroundingsError: ``metadata-needs-build``: they do not state their dependencies.
        """
        fields = folder_fields(self.folder(file), canonicalize_name(distribution))
        if fields is None:
            raise unstated(file)
        return to_metadata(fields)

    def _folder_release(self, direct: Direct) -> Release:
        file = DistFile(filename=direct.filename, url=direct.place, sha256="", direct=True, editable=True)
        version = folder_version(self.folder(file), direct.distribution)
        if not (direct.version or version):
            raise _without_version(direct)
        return Release.of(direct.distribution, direct.version or version, (file,))

    def _file(self, direct: Direct, named: NamedBy) -> DistFile:
        return DistFile(
            filename=direct.filename,
            url=direct.place,
            sha256=direct.sha256,
            tags=named.tags,
            build=named.build,
            direct=True,
        )


def _without_version(direct: Direct) -> RequestError:
    place = 'path = "..."' if direct.is_folder or direct.editable else 'url = "..."'
    more = ", editable = true" if direct.editable else ""
    return RequestError(
        "source-version",
        f"the sources of {direct.distribution} do not state their version",
        where=direct.text,
        why="only running their code would tell",
        hint=f'write [sources] {direct.distribution} = {{ {place}{more}, version = "1.0" }}',
    )


def _of_revision(direct: Direct) -> str:
    """Return the version in a tag, for sources that take theirs from it; empty for other revisions."""
    ending = next((one for one in ARCHIVES if direct.filename.endswith(one)), "")
    named = (
        direct.filename.rpartition("@")[2] if direct.is_repository else direct.filename.removesuffix(ending)
    )
    match = re.fullmatch(_TAG, named)
    try:
        return str(Version(match[1])) if match else ""
    except InvalidVersion:
        return ""


def _hash(direct: Direct, path: Path) -> str:
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
