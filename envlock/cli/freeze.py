"""``envlock freeze``."""

from __future__ import annotations

import datetime as dt
from typing import Annotated

import typer

from envlock.app.freeze import freeze as app_freeze
from envlock.cli.opening import opened
from envlock.cli.options import HERE, GroupName, Json, KnowledgeFolders, Offline, ProjectFolder, TargetName
from envlock.render.output import print_document, print_line

app = typer.Typer()


@app.command()
def freeze(
    group: GroupName,
    until: Annotated[
        dt.datetime,
        typer.Option("--until", metavar="DATE", formats=["%Y-%m-%d"], help="The last day of the promise."),
    ],
    reason: Annotated[str, typer.Option("--reason", help="Who relies on it.")],
    project: ProjectFolder = HERE,
    target: TargetName = "local",
    knowledge: KnowledgeFolders = None,
    json: Json = False,
    offline: Offline = False,
) -> None:
    """Promise that a group does not move.

    Until that day has passed, ``envlock solve`` refuses to change the group's lock, and says until when and
    why.

    Example: envlock freeze thesis-a --until 2027-06-30 --reason "thesis A is handed in"
    """
    outcome = app_freeze(opened(project, target, knowledge, offline=offline), group, until.date(), reason)
    if json:
        print_document(
            {
                "schema": "envlock/freeze/1",
                "group": outcome.group,
                "until": outcome.freeze.until.isoformat(),
                "reason": outcome.freeze.reason,
                "lock": str(outcome.lock.path),
                "lock_sha256": outcome.lock.sha256,
                "manifest": str(outcome.manifest),
            }
        )
    else:
        print_line(f"{outcome.group} is frozen until {outcome.freeze.until}: {outcome.freeze.reason}")
        print_line(f"lock {outcome.lock.path}, sha256 {outcome.lock.sha256}")
