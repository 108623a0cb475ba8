"""``envlock init``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from envlock.app.initialise import init as app_init
from envlock.cli.options import HERE, Json, KnowledgeFolders, Offline, ProjectFolder, TargetName
from envlock.render.output import print_document, print_line

app = typer.Typer()


@app.command()
def init(
    requires: Annotated[
        list[str] | None,
        typer.Argument(metavar="[REQUIREMENT...]", help="What the group needs: torch==2.6.0"),
    ] = None,
    python: Annotated[
        str, typer.Option("--python", metavar="VERSION", help="Its Python; else the newest here.")
    ] = "",
    force: Annotated[bool, typer.Option("--force", help="Overwrite an envlock.toml that is there.")] = False,
    project: ProjectFolder = HERE,
    target: TargetName = "local",
    knowledge: KnowledgeFolders = None,
    json: Json = False,
    offline: Offline = False,
) -> None:
    """Begin a project: write the smallest envlock.toml.

    Example: envlock init --python 3.11 torch gensim
    """
    begun = app_init(Path(project), python=python or None, requires=requires or (), force=force)
    if json:
        print_document(
            {
                "schema": "envlock/init/1",
                "manifest": str(begun.manifest),
                "group": begun.group,
                "python": begun.python,
                "requires": list(begun.requires),
            }
        )
    else:
        print_line(f"wrote {begun.manifest} with the group {begun.group!r} on Python {begun.python}")
        print_line(f"next: envlock solve {begun.group}")
