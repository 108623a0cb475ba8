"""What commands open before their one call into app: the project, and the package indexes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from envlock.app.project import Options, Project, open_project
from envlock.edges.cache import Cache, default_root
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.edges.pip_configuration import read_pip_configuration


def opened(project: Path, target: str, knowledge: Sequence[Path] | None, *, offline: bool) -> Project:
    """The project as the common options name it.

    Raises:
        RequestError: there is no manifest, or it or the knowledge base is wrong.
    """
    return open_project(
        Options(project=project, target=target, overlays=tuple(knowledge or ()), offline=offline)
    )


def indexes(*, offline: bool) -> IndexCatalogue:
    """The package indexes of pip's configuration, with the user's cache; close it."""
    return IndexCatalogue(read_pip_configuration(), Cache(default_root()), offline=offline)
