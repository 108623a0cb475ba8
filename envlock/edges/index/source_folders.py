"""Folders of sources that a manifest names: what they state, read afresh each time, for they may change."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from pathlib import Path

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from envlock.edges.index.core_metadata import Fields
from envlock.edges.index.sdist_metadata import read_sdist_metadata
from envlock.model.errors import RequestError

_TELLING = ("pyproject.toml", "setup.cfg", "setup.py")


def folder_version(folder: Path, distribution: str) -> str:
    """The version that the sources state.

    Raises:
        RequestError: it is no folder of sources of that distribution, or states no version.
    """
    texts = _texts(folder)
    try:
        project = tomllib.loads(texts.get("pyproject.toml", "")).get("project", {})
        name, version = str(project.get("name", "")), str(Version(str(project.get("version", ""))))
    except tomllib.TOMLDecodeError as error:
        raise _unusable(folder, f"pyproject.toml cannot be read: {error}") from None
    except InvalidVersion:
        raise _unusable(folder, "its pyproject.toml states no version = ... in [project]") from None
    if canonicalize_name(name) != distribution:
        raise _unusable(folder, f"it is {name or 'something'}, not {distribution}")
    return version


def folder_fields(folder: Path, distribution: str) -> Fields:
    """What the sources state of their dependencies.

    Raises:
        RequestError: they do not state them.
    """
    fields = read_sdist_metadata(_texts(folder), distribution)
    if fields is None:
        raise _unusable(folder, "it does not state its dependencies: write them into [project]")
    return fields


def folder_digest(folder: Path) -> str:
    """Names the state of what decides how an editable wheel of the sources looks, and where they are."""
    return hashlib.sha256(repr((str(folder.absolute()), sorted(_texts(folder).items()))).encode()).hexdigest()


def _texts(folder: Path) -> Mapping[str, str]:
    found = {name: folder / name for name in _TELLING if (folder / name).is_file()}
    if not found:
        raise _unusable(folder, "there is neither a pyproject.toml nor a setup.py")
    return {name: path.read_text("utf-8", errors="replace") for name, path in found.items()}


def _unusable(folder: Path, why: str) -> RequestError:
    return RequestError(
        "source-folder",
        "the folder cannot be used as an editable distribution",
        where=str(folder),
        why=why,
        hint="relative paths begin at the folder of envlock.toml",
    )
