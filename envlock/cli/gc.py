"""``envlock gc``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from envlock.app.keeping.sharing import tidy
from envlock.cli.opening import opened
from envlock.cli.options import HERE, Json, KnowledgeFolders, Offline, ProjectFolder
from envlock.model.command_line import LOCAL
from envlock.render.keeping.garbage import garbage_document, garbage_text
from envlock.render.terminal.output import console, print_document

app = typer.Typer()


@app.command()
def gc(
    yes: Annotated[bool, typer.Option("--yes", help="Remove them; without it they are only shown.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show them, whatever else is given.")
    ] = False,
    forget: Annotated[
        Path | None,
        typer.Option(
            "--forget",
            metavar="DIR",
            help="Release what a project that was in DIR, and is gone, holds in a shared store.",
            show_default=False,
        ),
    ] = None,
    frozen_too: Annotated[
        bool, typer.Option("--frozen-too", help="With --forget: also where it promised to keep groups.")
    ] = False,
    project: ProjectFolder = HERE,
    knowledge: KnowledgeFolders = None,
    json: Json = False,
    offline: Offline = False,
) -> None:
    """Show the environments that no group uses any more, and with --yes remove them.

    The current environments of all groups, those of frozen groups and those that are being made stay.
    Afterwards envlock rollback has nothing to go back to. Jobs that still run in an old environment are not
    known here. Where projects share a store, it names them with what they hold. A project that was deleted or
    moved keeps all of it until --forget lets go, because its file system may merely not be mounted here.

    Exit status 0: done or shown; 1: a project to forget is still there, or promised to keep groups; 2: the
    request is wrong; 3: the disk failed.

    Examples: envlock gc --yes; envlock gc --forget /projects/old
    """
    dry = dry_run or not yes
    if frozen_too and forget is None:
        raise typer.BadParameter("say which project: --forget DIR", param_hint="--frozen-too")
    whole = opened(project, LOCAL, knowledge, offline=offline)
    found = tidy(whole, dry_run=dry, forget=forget, frozen_too=frozen_too)
    if json:
        print_document(garbage_document(found, dry_run=dry))
    else:
        garbage_text(found, console(), dry_run=dry)
