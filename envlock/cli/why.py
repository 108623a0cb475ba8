"""``envlock why``."""

from __future__ import annotations

from typing import Annotated

import typer

from envlock.app.why import why as app_why
from envlock.cli.completions import groups_of, locked_of
from envlock.cli.opening import indexes, opened
from envlock.cli.options import HERE, Json, KnowledgeFolders, Offline, ProjectFolder, TargetName
from envlock.render.solving.why import why_document, why_text
from envlock.render.terminal.output import print_result

app = typer.Typer()


@app.command()
def why(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="A distribution or a system component.", autocompletion=locked_of
        ),
    ],
    groups: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[GROUP...]", help="Groups; else all that are locked.", autocompletion=groups_of
        ),
    ] = None,
    project: ProjectFolder = HERE,
    target: TargetName = "local",
    knowledge: KnowledgeFolders = None,
    json: Json = False,
    offline: Offline = False,
) -> None:
    """Show who asked for a component and what chose its version.

    Example: envlock why numpy pytorch
    """
    whole = opened(project, target, knowledge, offline=offline)
    with indexes(whole) as catalogue:
        found = app_why(whole, name, groups or (), catalogue)
    print_result(found, json=json, document=why_document, text=why_text)
