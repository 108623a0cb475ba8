"""``envlock where``."""

from __future__ import annotations

import typer

from envlock.app.making.environment import current
from envlock.cli.opening import opened
from envlock.cli.options import HERE, GroupName, Json, KnowledgeFolders, Offline, ProjectFolder, TargetName
from envlock.render.standing.outdated import note_if_outdated
from envlock.render.terminal.output import print_document, print_line

app = typer.Typer()


@app.command()
def where(
    group: GroupName,
    project: ProjectFolder = HERE,
    target: TargetName = "local",
    knowledge: KnowledgeFolders = None,
    json: Json = False,
    offline: Offline = False,
) -> None:
    """Print the prefix of a group's environment.

    Example: $(envlock where pytorch)/bin/python -c "import torch"
    """
    found = current(opened(project, target, knowledge, offline=offline), group)
    note_if_outdated(found, group)
    if json:
        print_document(
            {
                "schema": "envlock/where/1",
                "group": group,
                "target": target,
                "prefix": str(found.prefix),
                "python": str(found.prefix / "bin/python"),
                "matches_lock": found.matches,
            }
        )
    else:
        print_line(str(found.prefix))
