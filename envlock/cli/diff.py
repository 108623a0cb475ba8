"""``envlock diff``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from envlock.app.diff import FileAccess, examine
from envlock.cli.completions import locks_of
from envlock.cli.opening import cache, indexes, opened
from envlock.cli.options import HERE, Json, KnowledgeFolders, Offline, ProjectFolder, TargetName
from envlock.render.changes.diff_markdown import diff_markdown
from envlock.render.changes.examined import examined_document, examined_text
from envlock.render.terminal.output import console, print_document, print_line
from envlock.render.terminal.progress import progress_for_people

app = typer.Typer()

_WHAT = "A group, GROUP@TARGET, a lock file, or one of them at a git revision (REV:GROUP, REV:PATH)."


@app.command()
def diff(
    old: Annotated[str, typer.Argument(metavar="OLD", help=_WHAT, autocompletion=locks_of)],
    new: Annotated[str, typer.Argument(metavar="NEW", help=_WHAT, autocompletion=locks_of)],
    code: Annotated[
        list[Path] | None,
        typer.Option(
            "--code",
            metavar="PATH",
            help="A program to look through: Python file, notebook or folder; given often.",
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Compare the locks alone: no files, sizes, licences, interfaces.")
    ] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown for a merge request.")] = False,
    project: ProjectFolder = HERE,
    target: TargetName = "local",
    knowledge: KnowledgeFolders = None,
    json: Json = False,
    offline: Offline = False,
) -> None:
    """Show what changes between two locks, groups, targets or revisions, and what it breaks.

    Versions with the kind of step, system components, what is asked of the node, builds that must be made
    again, facts, sizes and licences; names in public interfaces that are gone or take other arguments, read
    from the sources of both releases; and the lines of your own code that use them. Nothing is run. Files up
    to 100 MB are fetched for it once, and what was compared is kept.

    Exit status 0: done, whatever differs.

    Example: envlock diff base pytorch-next --code train.py
    """
    whole = opened(project, target, knowledge, offline=offline)
    if quick:
        found = examine(old, new, whole, None, tuple(code or ()))
    else:
        with indexes(whole) as catalogue:
            access = FileAccess(catalogue, cache(), progress_for_people())
            found = examine(old, new, whole, access, tuple(code or ()))
    if json:
        print_document(examined_document(found))
    elif markdown:
        print_line(diff_markdown(found))
    else:
        examined_text(found, console())
