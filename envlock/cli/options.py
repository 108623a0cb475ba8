"""Options that commands share, and what they mean."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from envlock.app.manifest_file import project_folder
from envlock.cli.completions import groups_of, targets_of

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
    str,
    typer.Option(
        "--target",
        metavar="NAME",
        help="The target; 'local' is this machine.",
        autocompletion=targets_of,
    ),
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

GroupName = Annotated[
    str, typer.Argument(metavar="GROUP", help="A group of envlock.toml.", autocompletion=groups_of)
]
