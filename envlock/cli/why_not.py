"""``envlock why-not``."""

from __future__ import annotations

from typing import Annotated

import typer

from envlock.app.solving.refused import Refused
from envlock.app.why import why_not as app_why_not
from envlock.cli.completions import groups_of
from envlock.cli.opening import indexes, opened
from envlock.cli.options import HERE, Json, KnowledgeFolders, Offline, ProjectFolder, TargetName
from envlock.model.errors import ExitStatus
from envlock.render.solving.why import why_not_document, why_not_text
from envlock.render.terminal.output import console, print_document

app = typer.Typer()


@app.command()
def why_not(
    wish: Annotated[str, typer.Argument(metavar="NAME==VERSION", help="The version asked about.")],
    groups: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[GROUP...]", help="Groups; else all locked that have it.", autocompletion=groups_of
        ),
    ] = None,
    project: ProjectFolder = HERE,
    target: TargetName = "local",
    knowledge: KnowledgeFolders = None,
    json: Json = False,
    offline: Offline = False,
) -> None:
    """Show what another version would take: the changes that it needs, or what refuses it.

    Nothing is written. Exit status 0: it is possible in every group; 1: it is refused in one.

    Example: envlock why-not gensim==4.0.1 base
    """
    whole = opened(project, target, knowledge, offline=offline)
    with indexes(whole) as catalogue:
        found = app_why_not(whole, wish, groups or (), catalogue)
    if json:
        print_document(why_not_document(found, target))
    else:
        why_not_text(found, target, console(), whole.manifest.layers)
    refused = any(isinstance(one.outcome, Refused) for one in found)
    raise typer.Exit(ExitStatus.NO if refused else ExitStatus.YES)
