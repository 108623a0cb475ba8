"""The manifest as a file of a project: its name, and what must be read of it before the rest can be.

Names in a manifest mean what the knowledge base says, and the manifest may name folders that add to that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from envlock.edges.files import read_toml, straight
from envlock.edges.knowledge_files import NO_KNOWLEDGE
from envlock.edges.stated_folders import stated_folder
from envlock.edges.visible import is_file
from envlock.model.decode import Table
from envlock.model.errors import EnvlockError, RequestError

MANIFEST = "envlock.toml"


def project_folder(named: Path) -> Path:
    """Return the named folder; where none is named, the nearest one with a manifest from here upwards."""
    if named == Path() and not (named / MANIFEST).is_file():
        above = (folder for folder in Path.cwd().parents if is_file(folder / MANIFEST))
        return next(above, named)
    return straight(named)


def group_names(folder: Path) -> list[str]:
    """Return the groups of the manifest in a folder, by name alone; none where it cannot be read."""
    try:
        groups = read_toml(folder / MANIFEST).get("groups")
    except EnvlockError:
        return []
    return list(groups) if isinstance(groups, dict) else []


def overlays_of(project: Path, given: Sequence[Path]) -> tuple[Path, ...]:
    """Return all folders that add to the knowledge base, for a command that works without a project.

    Args:
        project: the folder where a manifest may lie.
        given: folders that the command was given.

    Raises:
        RequestError: a manifest is there and cannot be read, or names a folder that does not exist.
    """
    path = project / MANIFEST
    return with_overlays(read_toml(path), path, given) if path.is_file() else tuple(given)


def with_overlays(document: Mapping[str, object], path: Path, given: Sequence[Path]) -> tuple[Path, ...]:
    """Return all folders that add to the knowledge base: first the manifest's, then the given; each once.

    Args:
        document: the manifest, parsed.
        path: where it lies; the folders that it names are relative to its own.
        given: folders that the command was given.

    Raises:
        RequestError: ``no-knowledge``: the manifest names none; or as ``stated_folder``.
    """
    folders = []
    for text in Table(document, file=str(path)).table("site").texts("knowledge"):
        folder = path.parent / stated_folder(text, f"{path}, site.knowledge")
        if not folder.is_dir():
            raise RequestError(
                NO_KNOWLEDGE,
                f"there is no folder {folder}",
                where=f"{path}, site.knowledge",
                hint="correct its path, which is relative to the manifest, or remove it",
            )
        folders.append(folder)
    return tuple({folder.resolve(): folder for folder in (*folders, *given)}.values())
