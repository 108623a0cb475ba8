"""``envlock run``."""

from __future__ import annotations

from typing import Annotated

import typer

from envlock.app.environment import current
from envlock.app.environment import run as app_run
from envlock.app.project import Options, open_project
from envlock.cli.options import HERE, GroupName, KnowledgeFolders, Offline, ProjectFolder, TargetName

app = typer.Typer()


@app.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
def run(
    group: GroupName,
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND...", help="What to run.")],
    project: ProjectFolder = HERE,
    target: TargetName = "local",
    knowledge: KnowledgeFolders = None,
    offline: Offline = False,
) -> None:
    """Run a command inside a group's environment, its MPI and other system components active.

    The exit status is the command's own. Options of envlock come before GROUP.

    Example: envlock run pytorch -- mpirun -np 2 python train.py
    """
    options = Options(project=project, target=target, overlays=tuple(knowledge or ()), offline=offline)
    words = command[1:] if command[0] == "--" else command
    app_run(current(open_project(options), group), words)
