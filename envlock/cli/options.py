"""Options that commands share, and what they mean."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from envlock.app.manifest_file import group_names, project_folder

ProjectFolder = Annotated[
    Path,
    typer.Option(
        "--project",
        metavar="DIR",
        help="The folder with envlock.toml; else the nearest from here upwards.",
        show_default=False,
        callback=project_folder,
    ),
]
NewProjectFolder = Annotated[
    Path,
    typer.Option("--project", metavar="DIR", help="The folder for envlock.toml.", show_default=False),
]
TargetName = Annotated[
    str, typer.Option("--target", metavar="NAME", help="The target; 'local' is this machine.")
]
KnowledgeFolders = Annotated[
    list[Path] | None,
    typer.Option(
        "--knowledge",
        metavar="DIR",
        help="Your own knowledge, besides what [site] names; may be given often.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Offline = Annotated[bool, typer.Option("--offline", help="Ask caches only, never the network.")]
HERE = Path()


def groups_of(context: typer.Context, incomplete: str) -> list[str]:
    """Complete a group's name in a shell."""
    folder = project_folder(Path(context.params.get("project") or HERE))
    return [name for name in group_names(folder) if name.startswith(incomplete)]


GroupName = Annotated[
    str, typer.Argument(metavar="GROUP", help="A group of envlock.toml.", autocompletion=groups_of)
]
