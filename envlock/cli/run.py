"""``envlock run``."""

from __future__ import annotations

from typing import Annotated

import typer

from envlock.app.making.environment import current, variables
from envlock.app.making.environment import run as app_run
from envlock.cli.opening import opened
from envlock.cli.options import HERE, GroupName, Json, KnowledgeFolders, Offline, ProjectFolder, TargetName
from envlock.model.errors import RequestError
from envlock.render.standing.outdated import note_if_outdated
from envlock.render.terminal.output import print_document

app = typer.Typer()


@app.command()
def run(
    group: GroupName,
    command: Annotated[
        list[str] | None, typer.Argument(metavar="-- COMMAND...", help="What to run.", show_default=False)
    ] = None,
    project: ProjectFolder = HERE,
    target: TargetName = "local",
    knowledge: KnowledgeFolders = None,
    json: Json = False,
    offline: Offline = False,
) -> None:
    """Run a command inside a group's environment, its MPI and other system components active.

    The exit status is the command's own; everything after -- belongs to the command. With --json and no
    command, the environment variables are printed instead, for programs that start commands themselves.

    Example: envlock run pytorch -- mpirun -np 2 python train.py
    """
    found = current(opened(project, target, knowledge, offline=offline), group)
    note_if_outdated(found, group)
    if command:
        app_run(found, command)
    if not json:
        raise RequestError("no-command", "there is no command to run", hint=f"envlock run {group} -- COMMAND")
    print_document({"schema": "envlock/run/1", "group": group, "variables": variables(found)})
