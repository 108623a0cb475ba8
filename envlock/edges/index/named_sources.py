"""Sources that a manifest names: folders, archives named by a revision, repositories."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from envlock.analysis.core_metadata import to_metadata
from envlock.edges.cache import Cache
from envlock.edges.digests import file_sha256
from envlock.edges.index.files import FetchedFiles, unstated
from envlock.edges.index.local_path import local_path
from envlock.edges.index.named_places import checked_hash, editable_folder, placed
from envlock.edges.index.repositories import Repositories, split_revision
from envlock.edges.index.source_folders import folder_fields, folder_version
from envlock.edges.index.stated_sources import archive_version
from envlock.model.errors import RequestError
from envlock.model.project.package_sources import ARCHIVES, REPOSITORY, Direct
from envlock.model.published.catalogue import DistFile, Release
from envlock.model.published.metadata import Metadata

_TAG = r"(?:v|release-|.*-v?)?(\d+(?:\.\d+)+\w*)"
"""Matches a tag that is a version, perhaps after a word; a commit or a branch with a number does not
match."""


class NamedSources:
    """Reads sources; relative paths start at the project's folder."""

    __slots__ = ("_files", "_folder", "_repositories")

    def __init__(self, folder: Path, files: FetchedFiles, cache: Cache, *, offline: bool) -> None:
        self._folder = folder
        self._files = files
        self._repositories = Repositories(cache, offline=offline)

    def release(self, direct: Direct) -> Release:
        """Return sources with no file name to read: a folder, an archive named by revision, a repository."""
        url, ending = direct.place, ".zip" if direct.place.endswith(".zip") else ".tar.gz"
        if direct.is_repository:
            commit = self._repositories.commit(direct.place)
            fragment = f"#subdirectory={direct.subdirectory}" if direct.subdirectory else ""
            url = f"{REPOSITORY}{split_revision(direct.place)[0]}@{commit}{fragment}"
        file = DistFile(filename=f"sources{ending}", url=url, sha256=direct.sha256, direct=True)
        here = placed(file, self._folder)
        if (own := local_path(here.url)) is not None and not direct.is_folder:
            checked_hash(direct, own)
        path = self._files.get(here, ())
        version = direct.version or archive_version(path) or _of_revision(direct)
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

    def editable_release(self, direct: Direct) -> Release:
        """Return the release that a folder of sources is, to be installed as it is.

        Raises:
            RequestError: it is not a source folder of that distribution, or has no version.
        """
        file = DistFile(filename=direct.filename, url=direct.place, sha256="", direct=True, editable=True)
        version = folder_version(editable_folder(file, self._folder), direct.distribution)
        if not (direct.version or version):
            raise _without_version(direct)
        return Release.of(direct.distribution, direct.version or version, (file,))

    def metadata(self, distribution: str, file: DistFile) -> Metadata:
        """Return what the sources of an editable distribution state.

        Raises:
            SurroundingsError: ``metadata-needs-build``: they do not state their dependencies.
        """
        fields = folder_fields(editable_folder(file, self._folder), canonicalize_name(distribution))
        if fields is None:
            raise unstated(file)
        return to_metadata(fields)


def _without_version(direct: Direct) -> RequestError:
    place = 'path = "..."' if direct.is_folder or direct.editable else 'url = "..."'
    more = ", editable = true" if direct.editable else ""
    return RequestError(
        "source-version",
        f"the sources of {direct.distribution} do not state their version",
        where=direct.text,
        why="only running their code would tell, or what they state is not a version (PEP 440)",
        hint=f'write [sources] {direct.distribution} = {{ {place}{more}, version = "1.0" }}',
    )


def _of_revision(direct: Direct) -> str:
    """Return the version in a tag, for sources that take theirs from it; empty for other revisions."""
    ending = next((suffix for suffix in ARCHIVES if direct.filename.endswith(suffix)), "")
    named = (
        direct.filename.rpartition("@")[2] if direct.is_repository else direct.filename.removesuffix(ending)
    )
    match = re.fullmatch(_TAG, named)
    try:
        return str(Version(match[1])) if match else ""
    except InvalidVersion:
        return ""
