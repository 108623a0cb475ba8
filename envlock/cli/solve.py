"""``envlock solve``."""

from __future__ import annotations

from typing import Annotated

import typer

from envlock.app.solve import Refused
from envlock.app.solve import solve as app_solve
from envlock.cli.opening import indexes, opened
from envlock.cli.options import HERE, GroupName, Json, KnowledgeFolders, Offline, ProjectFolder, TargetName
from envlock.model.errors import ExitStatus
from envlock.render.output import console, print_document
from envlock.render.progress import progress_for_people
from envlock.render.solution import locked_document, locked_text, unsolvable_document, unsolvable_text

app = typer.Typer()


@app.command()
def solve(
    group: GroupName,
    lock_only: Annotated[bool, typer.Option("--lock-only", help="Stop at the lock.")] = False,
    upgrade: Annotated[
        bool, typer.Option("--upgrade", help="Take the newest that fits, not what the lock has.")
    ] = False,
    every: Annotated[
        bool, typer.Option("--all", help="Show every distribution, not only the telling.")
    ] = False,
    project: ProjectFolder = HERE,
    target: TargetName = "local",
    knowledge: KnowledgeFolders = None,
    json: Json = False,
    offline: Offline = False,
) -> None:
    """Lock a group and create its environment.

    Python distributions and system components (MPI, CUDA, driver, GPUs, glibc) are solved together. The
    lock is locks/TARGET/pylock.GROUP.toml, which pip and uv install from too. What has no wheel is built,
    against the chosen MPI where it needs one. What need not move since the last lock does not.

    Exit status 0: done; 1: nothing answers, or the group is frozen; 2: the request is wrong; 3: the network,
    the disk or a build failed, and the old environment is as it was.

    Example: envlock solve pytorch --lock-only
    """
    whole = opened(project, target, knowledge, offline=offline)
    with indexes(offline=offline) as catalogue:
        answer = app_solve(
            whole, group, catalogue, progress_for_people(), lock_only=lock_only, upgrade=upgrade
        )
    if isinstance(answer, Refused):
        if json:
            print_document(unsolvable_document(group, target, answer.refusal, answer.knowledge))
        else:
            unsolvable_text(group, answer.refusal, answer.knowledge, console(stderr=True))
        raise typer.Exit(ExitStatus.NO)
    if json:
        print_document(locked_document(answer))
    else:
        locked_text(answer, console(), every=every)
