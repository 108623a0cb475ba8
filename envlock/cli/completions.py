"""What a shell offers for arguments and options; the names are looked for when it asks."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import typer

from envlock.app.manifest_file import group_names, project_folder
from envlock.cli import late
from envlock.model.command_line import LOCAL

_PROJECT = "app.completion"
_KNOWLEDGE = "app.known_names"
_WORDS = "app.verifying.words"


def groups_of(context: typer.Context, incomplete: str) -> list[str]:
    """Complete a group's name."""
    return _beginning(group_names(_folder(context)), incomplete)


def targets_of(context: typer.Context, incomplete: str) -> list[str]:
    """Complete a target's name."""
    return _beginning(late(_PROJECT).target_names(_folder(context)), incomplete)


def locks_of(context: typer.Context, incomplete: str) -> list[str]:
    """Complete a group, or a group on a target; files are the shell's to complete."""
    return _beginning(late(_PROJECT).lock_names(_folder(context)), incomplete)


def locked_of(context: typer.Context, incomplete: str) -> list[str]:
    """Complete the name of something that is locked."""
    return _beginning(late(_PROJECT).locked_names(_folder(context), _target(context)), incomplete)


def systems_of(context: typer.Context, incomplete: str) -> list[str]:
    """Complete a system component with its version, as it is locked."""
    return _beginning(late(_PROJECT).locked_systems(_folder(context), _target(context)), incomplete)


def facts_of(context: typer.Context, incomplete: str) -> list[str]:
    """Complete a fact's identifier."""
    return _beginning(late(_KNOWLEDGE).fact_names(_folder(context), _overlays(context)), incomplete)


def components_of(context: typer.Context, incomplete: str) -> list[str]:
    """Complete the name of a component that something is known of."""
    return _beginning(late(_KNOWLEDGE).component_names(_folder(context), _overlays(context)), incomplete)


def schedulers(incomplete: str) -> list[str]:
    """Complete a word for ``--submit``."""
    return _beginning(late(_WORDS).scheduler_words(), incomplete)


def launchers(incomplete: str) -> list[str]:
    """Complete a word for ``--launcher``."""
    return _beginning(late(_WORDS).launcher_words(), incomplete)


def _beginning(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


def _folder(context: typer.Context) -> Path:
    return project_folder(Path(context.params.get("project") or "."))


def _target(context: typer.Context) -> str:
    """Return the target that is named already, the first of several."""
    named = context.params.get("target") or LOCAL
    return named if isinstance(named, str) else str(named[0])


def _overlays(context: typer.Context) -> list[Path]:
    return [Path(folder) for folder in context.params.get("knowledge") or ()]
