"""``envlock status``."""

from __future__ import annotations

from typing import Annotated

import typer

from envlock.app.keeping.sharing import who_holds
from envlock.app.status import left_locks
from envlock.app.status import status as app_status
from envlock.cli.completions import targets_of
from envlock.cli.opening import opened
from envlock.cli.options import HERE, Json, KnowledgeFolders, Offline, ProjectFolder
from envlock.model.command_line import LOCAL
from envlock.model.errors import ExitStatus
from envlock.render.standing.status import status_document, status_text
from envlock.render.terminal.output import console, print_document

app = typer.Typer()


@app.command()
def status(
    project: ProjectFolder = HERE,
    target: Annotated[
        str,
        typer.Option(
            "--target",
            metavar="NAME",
            help="Only this target.",
            show_default=False,
            autocompletion=targets_of,
        ),
    ] = "",
    knowledge: KnowledgeFolders = None,
    json: Json = False,
    offline: Offline = False,
) -> None:
    """Show how every group stands on every target: locked, built, frozen, verified, and why it is stale.

    Nothing is solved and nobody is asked: locks are judged by the knowledge base and compared with what the
    targets offer today, environments with their locks, and evidence with both. Where projects share a store,
    those that are gone and still hold environments in it are named; envlock gc names all. Locks of groups
    that the manifest no longer has are named, too.

    Exit status 0: all that is locked is built, verified and current; 1: something is not.

    Example: envlock status
    """
    whole = opened(project, target or LOCAL, knowledge, offline=offline)
    found, sharers, left = app_status(whole, only=target), who_holds(whole), left_locks(whole, only=target)
    if json:
        print_document(status_document(found, sharers, left))
    else:
        status_text(found, sharers, left, console())
    raise typer.Exit(ExitStatus.NO if any(one.reasons for one in found) else ExitStatus.YES)
