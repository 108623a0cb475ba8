"""``envlock diff``."""

from __future__ import annotations

from typing import Annotated

import typer

from envlock.app.diff import diff as app_diff
from envlock.cli.opening import opened
from envlock.cli.options import HERE, Json, KnowledgeFolders, Offline, ProjectFolder, TargetName
from envlock.render.diff import diff_document, diff_text
from envlock.render.output import console, print_document

app = typer.Typer()

_WHAT = "A group, a lock file, or either at a git revision (REV:GROUP, REV:PATH)."


@app.command()
def diff(
    old: Annotated[str, typer.Argument(metavar="OLD", help=_WHAT)],
    new: Annotated[str, typer.Argument(metavar="NEW", help=_WHAT)],
    project: ProjectFolder = HERE,
    target: TargetName = "local",
    knowledge: KnowledgeFolders = None,
    json: Json = False,
    offline: Offline = False,
) -> None:
    """Show what changes between two locks or groups, and what it breaks.

    Versions with the kind of step, system components, builds that must be made again, facts that come and go,
    and the names in the public interface that are gone or have become others.

    Example: envlock diff base pytorch-next
    """
    found = app_diff(old, new, opened(project, target, knowledge, offline=offline))
    if json:
        print_document(diff_document(found))
    else:
        diff_text(found, console())
