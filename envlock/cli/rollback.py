"""``envlock rollback``."""

from __future__ import annotations

import typer

from envlock.app.keeping.tidy import rollback as app_rollback
from envlock.cli.opening import opened
from envlock.cli.options import HERE, GroupName, Json, KnowledgeFolders, Offline, ProjectFolder, TargetName
from envlock.render.terminal.output import print_document, print_line

app = typer.Typer()


@app.command()
def rollback(
    group: GroupName,
    project: ProjectFolder = HERE,
    target: TargetName = "local",
    knowledge: KnowledgeFolders = None,
    json: Json = False,
    offline: Offline = False,
) -> None:
    """Go back to the previous environment and its lock; run it again to go forward.

    The manifest stays as it is: the next envlock solve answers it anew.

    Exit status 0: done; 1: the group is frozen, or the previous environment is no longer in the store.

    Example: envlock rollback pytorch
    """
    outcome = app_rollback(opened(project, target, knowledge, offline=offline), group)
    if json:
        print_document(
            {
                "schema": "envlock/rollback/1",
                "group": outcome.group,
                "target": target,
                "environment": str(outcome.prefix),
                "left": str(outcome.left) if outcome.left else None,
                "lock": str(outcome.lock),
                "lock_restored": outcome.restored,
                "lock_without_environment": outcome.unmade,
            }
        )
    else:
        print_line(f"{outcome.group} is back at {outcome.prefix}")
        state = "restored" if outcome.restored else "as it was"
        print_line(f"lock {outcome.lock}, {state}")
        if outcome.unmade:
            print_line(
                "no environment was made from the lock before, so that only version control may have it"
            )
