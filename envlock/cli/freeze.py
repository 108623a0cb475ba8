"""``envlock freeze``."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Annotated

import typer

from envlock.app.keeping.decay import check_frozen
from envlock.app.keeping.freeze import freeze as app_freeze
from envlock.cli.completions import groups_of
from envlock.cli.opening import indexes, opened
from envlock.cli.options import (
    HERE,
    Json,
    KnowledgeFolders,
    Offline,
    ProjectFolder,
    TargetName,
)
from envlock.model.errors import ExitStatus, RequestError
from envlock.render.keeping.archive import frozen_document, frozen_text
from envlock.render.keeping.decay import decay_document, decay_text
from envlock.render.terminal.output import print_result
from envlock.render.terminal.progress import progress_for_people

app = typer.Typer()


def _day(text: str) -> dt.date:
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a day such as 2027-06-30") from None


@app.command()
def freeze(
    group: Annotated[
        str, typer.Argument(metavar="GROUP", help="A group of envlock.toml.", autocompletion=groups_of)
    ] = "",
    until: Annotated[
        dt.date | None,
        typer.Option(
            "--until",
            metavar="DATE",
            parser=_day,
            help="The last day of the promise, such as 2027-06-30.",
            show_default=False,
        ),
    ] = None,
    reason: Annotated[
        str | None, typer.Option("--reason", help="Who relies on it.", show_default=False)
    ] = None,
    archive: Annotated[
        Path | None,
        typer.Option(
            "--archive",
            metavar="PATH",
            help="Make an archive there: a folder, or one file if it ends in .tar.",
            show_default=False,
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Say what has decayed of it; without GROUP, of all frozen groups.")
    ] = False,
    project: ProjectFolder = HERE,
    target: TargetName = "local",
    knowledge: KnowledgeFolders = None,
    json: Json = False,
    offline: Offline = False,
) -> None:
    """Promise that a group does not move.

    Until the day of ``--until`` has passed, ``envlock solve`` refuses to change the group's lock, and says
    until when and why. An archive holds all that ``envlock restore`` needs to make the environment again,
    elsewhere and without a network, beside what repositories ask for: hashes (BagIt), a bill of materials
    (CycloneDX), a description (RO-Crate) and a citation. For a group that is frozen already, ``--archive``
    alone is enough.

    ``--check`` reads the archive and looks at the target and the indexes: modules, MPIs and interpreters that
    are gone, drivers and C libraries that no longer fit, files that changed or were withdrawn, each with the
    nearest way out. Exit status 1: something that the environment needs is not here any more.

    Example: envlock freeze thesis-a --until 2027-06-30 --reason "thesis A" --archive kept/thesis-a
    """
    whole = opened(project, target, knowledge, offline=offline)
    if not group and not check:
        raise RequestError("usage", "name the group to freeze", hint="envlock freeze GROUP --until DATE")
    if check and (until, reason, archive) != (None, None, None):
        raise RequestError(
            "usage", "--check promises nothing", hint="freeze first, and then: envlock freeze GROUP --check"
        )
    if check:
        with indexes(whole) as catalogue:
            found = check_frozen(whole, group, catalogue, progress_for_people())
        print_result(found, json=json, document=decay_document, text=decay_text)
        raise typer.Exit(ExitStatus.NO if any(one.hurt for one in found) else ExitStatus.YES)
    with indexes(whole) as catalogue:
        outcome = app_freeze(
            whole, group, until, reason, archive=archive, source=catalogue, progress=progress_for_people()
        )
    print_result(outcome, json=json, document=frozen_document, text=frozen_text)
