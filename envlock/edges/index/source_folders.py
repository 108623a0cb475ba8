"""Source folders that a manifest names: their statements, read anew each time because they may change."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import IO

from packaging.utils import canonicalize_name

from envlock.analysis.core_metadata import Fields
from envlock.analysis.sdists.backend_requires import asked_for_editable
from envlock.analysis.sdists.own_packages import no_packages
from envlock.analysis.sdists.sdist_metadata import read_sdist_metadata
from envlock.analysis.sdists.source_versions import stated_name, stated_version
from envlock.edges.building.packed_sources import leads_out, pack_sources
from envlock.edges.git import sources_in
from envlock.model.errors import RequestError

_TELLING = ("pyproject.toml", "setup.cfg", "setup.py")
_NOT_SOURCES = frozenset(
    {
        *(".git", ".hg", ".svn", ".tox", ".nox", "__pycache__"),
        *(".mypy_cache", ".pytest_cache", ".ruff_cache"),
    }
)
"""Folders with things made from sources, or with their history."""
_LEFT_BY_BUILDS = frozenset({"build", "dist"})
"""Folders that builds leave at the top level; further down these names may be packages."""
_OURS = frozenset({"envlock.toml", "locks", ".envlock"})
"""Files beside a manifest that change with every solve."""


def folder_name(folder: Path) -> str:
    """Return the distribution's name that the sources state; empty for none, or if it is no source folder."""
    try:
        return stated_name(_texts(folder))
    except RequestError:
        return ""


def folder_version(folder: Path, distribution: str) -> str:
    """Return the version that the sources state; empty if only running their code would tell.

    Raises:
        RequestError: it is not a source folder of that distribution.
    """
    texts = _texts(folder)
    _pyproject(folder, texts)
    name = stated_name(texts)
    if name and canonicalize_name(name) != distribution:
        raise _unusable(folder, f"it is {name}, not {distribution}")
    return stated_version(texts)


def folder_fields(folder: Path, distribution: str) -> Fields | None:
    """Return what the sources state of their dependencies; ``None`` if only their build backend would tell.

    Raises:
        RequestError: it is not a source folder.
    """
    texts = _texts(folder)
    fields = read_sdist_metadata(texts, distribution, no_packages)
    asked = asked_for_editable(_pyproject(folder, texts))
    return fields and replace(fields, build_requires=(*fields.build_requires, *asked))


def folder_digest(folder: Path) -> str:
    """Identify where the sources are, and everything in them that decides how an editable wheel looks.

    Of what is no source folder any more, the place is all there is.
    """
    try:
        texts = sorted(_texts(folder).items())
    except RequestError:
        texts = []
    return hashlib.sha256(repr((str(folder.absolute()), texts)).encode()).hexdigest()


def pack_folder(folder: Path, target: IO[bytes]) -> str:
    """Write the current content of a source folder as an archive, and return its sha256.

    In a git repository this is everything that git does not ignore; elsewhere, all but what tools leave
    behind.

    Raises:
        RequestError: it is not a source folder.
    """
    _texts(folder)
    return pack_sources(folder, _sources(folder), "sources", target)


def links_left_out(folder: Path) -> list[str]:
    """Return the links below a source folder that lead out of it, so that they are not packed."""
    found = (path.relative_to(folder) for path in _sources(folder) if leads_out(folder, path))
    return sorted(map(str, found))


def _sources(folder: Path) -> list[Path]:
    """Return the files and links of a source folder."""
    listed = [folder / name for name in sources_in(folder)] or list(_walked(folder, _LEFT_BY_BUILDS))
    files = [file for path in listed for file in (_walked(path) if _is_folder(path) else (path,))]
    apart = _OURS if (folder / "envlock.toml").exists() else frozenset[str]()
    return [
        path
        for path in files
        if path.relative_to(folder).parts[0] not in apart and (path.is_symlink() or path.is_file())
    ]


def _walked(folder: Path, apart: frozenset[str] = frozenset()) -> Iterator[Path]:
    """Yield all files below a folder except history, caches, virtual environments and ``apart``."""
    for path in folder.iterdir():
        name = path.name
        if name in _NOT_SOURCES or name in apart or name.endswith((".pyc", ".egg-info")):
            continue
        if not _is_folder(path):
            yield path
        elif not (path / "pyvenv.cfg").exists():
            yield from _walked(path)


def _is_folder(path: Path) -> bool:
    return not path.is_symlink() and path.is_dir()  # a link is not followed: it may lead to another user's


def _texts(folder: Path) -> Mapping[str, str]:
    found = {name: folder / name for name in _TELLING if (folder / name).is_file()}
    if not found:
        lacks = (
            "there is neither a pyproject.toml nor a setup.py"
            if folder.is_dir()
            else "there is no such folder"
        )
        raise _unusable(folder, lacks)
    return {name: path.read_text("utf-8", errors="replace") for name, path in found.items()}


def _pyproject(folder: Path, texts: Mapping[str, str]) -> Mapping[str, object]:
    try:
        return tomllib.loads(texts.get("pyproject.toml", ""))
    except (ValueError, RecursionError) as error:
        raise _unusable(folder, f"pyproject.toml cannot be read: {error}") from None


def _unusable(folder: Path, why: str) -> RequestError:
    return RequestError(
        "source-folder",
        "the folder cannot be used as the sources of a distribution",
        where=str(folder),
        why=why,
        hint="relative paths begin at the folder of envlock.toml",
    )
