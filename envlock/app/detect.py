"""``detect``: this machine as a target, to look at or to keep in the manifest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from envlock.app.machine import detect_machine
from envlock.app.project import Project
from envlock.edges.cache import Cache, default_root
from envlock.edges.decoded_knowledge import load_decoded
from envlock.edges.manifest_files import add_target
from envlock.model.command_line import LOCAL
from envlock.model.errors import RequestError
from envlock.model.path_parts import is_target_name
from envlock.model.project.target import Target


def detect(overlays: Sequence[Path] = ()) -> Target:
    """Look at this machine, asking all of its tools anew.

    Raises:
        RequestError: a folder that adds to the knowledge base is missing or invalid.
    """
    return detect_machine(load_decoded(Cache(default_root()), overlays))


def save_target(project: Project, target: Target, name: str) -> Path:
    """Keep a target under a name in the manifest, so that others can lock for it from elsewhere.

    Returns:
        The manifest.

    Raises:
        RequestError: the name is taken, reserved or invalid.
        SurroundingsError: the manifest could not be written.
    """
    manifest = Path(project.manifest.file)
    if not is_target_name(name) or name == LOCAL:
        raise RequestError(
            "invalid-target-name",
            f"a target may not be called {name!r}",
            where="--save",
            why=f"{LOCAL!r} always means the machine at hand" if name == LOCAL else "",
            hint="letters, digits, -, _ and dots: it becomes the folder locks/<target>",
        )
    if name in project.manifest.targets:
        raise RequestError(
            "target-exists",
            f"there already is a target {name!r}",
            where=str(manifest),
            hint=f"choose another name, or remove [targets.{name}] first",
        )
    add_target(manifest, replace(target, name=name))
    return manifest
