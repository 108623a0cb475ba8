"""The options that write a report for browsers and for continuous integration systems."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from envlock.app.output_files import need_place_for_output, write_output
from envlock.app.verifying.reports import Shown
from envlock.render.reports.junit import junit_text
from envlock.render.reports.page import report_page

HtmlFile = Annotated[
    Path | None, typer.Option("--html", metavar="FILE", help="Write the report as one HTML page.")
]
JunitFile = Annotated[
    Path | None, typer.Option("--junit", metavar="FILE", help="Write the report as JUnit XML.")
]


def need_places(*, html: Path | None, junit: Path | None) -> None:
    """Refuse views that could not be written, before what they are to show takes minutes.

    Raises:
        SurroundingsError: ``not-writable``.
    """
    for path in (html, junit):
        if path is not None:
            need_place_for_output(path)


def write_views(shown: Shown, *, html: Path | None, junit: Path | None) -> tuple[Path, ...]:
    """Write the views that were asked for; return their files.

    Raises:
        SurroundingsError: the disk is full or not writable.
    """
    if html is not None:
        write_output(html, report_page(shown))
    if junit is not None:
        write_output(junit, junit_text(shown.report))
    return tuple(path for path in (html, junit) if path is not None)
