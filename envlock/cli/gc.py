"""``envlock gc``."""

from __future__ import annotations

from typing import Annotated

import typer

from envlock.app.project import LOCAL
from envlock.app.tidy import collect_garbage
from envlock.cli.opening import opened
from envlock.cli.options import HERE, Json, KnowledgeFolders, Offline, ProjectFolder
from envlock.render.garbage import garbage_document, garbage_text
from envlock.render.output import console, print_document

app = typer.Typer()


@app.command()
def gc(
    yes: Annotated[bool, typer.Option("--yes", help="Remove them; without it they are only shown.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show them, whatever else is given.")
    ] = False,
    project: ProjectFolder = HERE,
    knowledge: KnowledgeFolders = None,
    json: Json = False,
    offline: Offline = False,
) -> None:
    """Show the environments that no group uses any more, and with --yes remove them.

    Every group's current environment and those of frozen groups stay, and what another envlock is making.
    After that there is no way back with envlock rollback. Jobs that still run in an old environment are not
    known here.

    Example: envlock gc --yes
    """
    dry = dry_run or not yes
    found = collect_garbage(opened(project, LOCAL, knowledge, offline=offline), dry_run=dry)
    if json:
        print_document(garbage_document(found, dry_run=dry))
    else:
        garbage_text(found, console(), dry_run=dry)
