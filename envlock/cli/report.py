"""``envlock report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from envlock.app.verifying.reports import report_of_file, report_of_group
from envlock.cli.completions import groups_of
from envlock.cli.opening import opened
from envlock.cli.options import HERE, Json, KnowledgeFolders, Offline, ProjectFolder, TargetName
from envlock.cli.report_views import HtmlFile, JunitFile, write_views
from envlock.model.errors import ExitStatus
from envlock.render.reports.text import history_text, shown_document, shown_text
from envlock.render.terminal.output import console, print_document

app = typer.Typer()


@app.command()
def report(
    of: Annotated[
        str,
        typer.Argument(
            metavar="GROUP|FILE", help="A group, or a report's JSON file.", autocompletion=groups_of
        ),
    ],
    html: HtmlFile = None,
    junit: JunitFile = None,
    history: Annotated[
        bool, typer.Option("--history", help="Show the kept runs of the group on the target.")
    ] = False,
    project: ProjectFolder = HERE,
    target: TargetName = "local",
    knowledge: KnowledgeFolders = None,
    json: Json = False,
    offline: Offline = False,
) -> None:
    """Show the last verification of a group again, and whether it still counts.

    A report counts for the lock, the driver and other components of the node, the kernel and the MPI that
    it was made with. FILE is a report from elsewhere: only what is in it is shown.

    Exit status 0: verified, and it counts; 1: it failed, or no longer counts.

    Examples: envlock report pytorch --html pytorch.html; envlock report pytorch --history;
    envlock report locks/local/pylock.pytorch.report.json --junit verify.xml
    """
    path = Path(of)
    shown = (
        report_of_file(path)
        if path.suffix == ".json"
        else report_of_group(opened(project, target, knowledge, offline=offline), of)
    )
    written = write_views(shown, html=html, junit=junit)
    if json:
        print_document(shown_document(shown, history=history))
    elif history:
        history_text(shown, console())
    else:
        shown_text(shown, console(), written)
    raise typer.Exit(ExitStatus.YES if shown.report.passed and not shown.doubts else ExitStatus.NO)
