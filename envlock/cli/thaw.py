"""``envlock thaw``."""

from __future__ import annotations

from typing import Annotated

import typer

from envlock.app.keeping.freeze import thaw as app_thaw
from envlock.cli.opening import opened
from envlock.cli.options import HERE, GroupName, Json, KnowledgeFolders, Offline, ProjectFolder, TargetName
from envlock.render.terminal.output import print_document, print_line

app = typer.Typer()


@app.command()
def thaw(
    group: GroupName,
    reason: Annotated[str, typer.Option("--reason", help="Why it may move again.")],
    project: ProjectFolder = HERE,
    target: TargetName = "local",
    knowledge: KnowledgeFolders = None,
    json: Json = False,
    offline: Offline = False,
) -> None:
    """Take back the promise that a group does not move; the reason stays in envlock.toml as a comment.

    Example: envlock thaw thesis-a --reason "handed in early"
    """
    outcome = app_thaw(opened(project, target, knowledge, offline=offline), group, reason)
    if json:
        print_document(
            {
                "schema": "envlock/thaw/1",
                "group": outcome.group,
                "was_until": outcome.freeze.until.isoformat(),
                "reason": outcome.reason,
                "manifest": str(outcome.manifest),
            }
        )
    else:
        print_line(f"{outcome.group} may move again (was frozen until {outcome.freeze.until})")
