"""What commands open before their one call into app: the project, and the package indexes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from envlock.app.project import Options, Project, open_project
from envlock.cli import late
from envlock.edges.cache import Cache, default_root
from envlock.edges.pip_configuration import read_pip_configuration

if TYPE_CHECKING:
    from envlock.edges.index.catalogue import IndexCatalogue


def opened(project: Path, target: str, knowledge: Sequence[Path] | None, *, offline: bool) -> Project:
    """Open the project that the common options name.

    Raises:
        RequestError: there is no manifest, or it or the knowledge base is invalid.
    """
    return open_project(
        Options(project=project, target=target, overlays=tuple(knowledge or ()), offline=offline)
    )


def indexes(project: Project) -> IndexCatalogue:
    """Open the indexes of the project and of pip's configuration, with the user's cache; to be closed."""
    catalogue: IndexCatalogue = late("edges.index.catalogue").IndexCatalogue(
        read_pip_configuration(),
        cache(),
        backend=_ask_backend,
        manifest=project.manifest.sources,
        addresses=project.manifest.addresses,
        folder=project.folder,
        offline=project.options.offline,
    )
    return catalogue


def _ask_backend(*question: Any) -> Any:
    """Ask an sdist's build backend; few solves need that, and the code for it is slow to import."""
    return late("edges.index.built_metadata").backend_fields(*question)


def cache() -> Cache:
    """Return the user's cache."""
    return Cache(default_root())
