"""``envlock repair``."""

from __future__ import annotations

from typing import Annotated

import typer

from envlock.app.keeping.repair import repair as app_repair
from envlock.cli.opening import indexes, opened
from envlock.cli.options import HERE, GroupName, Json, KnowledgeFolders, Offline, ProjectFolder, TargetName
from envlock.model.errors import ExitStatus
from envlock.render.keeping.repair import repair_document, repair_text
from envlock.render.terminal.output import console, print_document
from envlock.render.terminal.progress import progress_for_people

app = typer.Typer()


@app.command()
def repair(
    group: GroupName,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what differs.")] = False,
    project: ProjectFolder = HERE,
    target: TargetName = "local",
    knowledge: KnowledgeFolders = None,
    json: Json = False,
    offline: Offline = False,
) -> None:
    """Compare a group's environment, file by file, with what was installed, and repair what differs.

    Every file is hashed and compared with the RECORD of its distribution; distributions that differ are
    installed again from the same wheels. The lock does not change, so frozen groups can be repaired too.
    Files that belong to no distribution are reported and left alone.

    Exit status 0: all is as it was installed; 1: something differs still, or with --dry-run at all.

    Example: envlock repair pytorch --dry-run
    """
    whole = opened(project, target, knowledge, offline=offline)
    with indexes(whole) as catalogue:
        found = app_repair(whole, group, catalogue, progress_for_people(), dry_run=dry_run)
    if json:
        print_document(repair_document(found, group=group, target=target, dry_run=dry_run))
    else:
        repair_text(found, console(), group=group, target=target, dry_run=dry_run)
    if found.left:
        raise typer.Exit(ExitStatus.NO)
