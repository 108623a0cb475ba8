"""``envlock restore``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from envlock.app.keeping.restore import restore as app_restore
from envlock.cli.options import Json
from envlock.model.errors import ExitStatus
from envlock.render.keeping.archive import restored_document, restored_text
from envlock.render.terminal.output import print_result
from envlock.render.terminal.progress import progress_for_people

app = typer.Typer()


@app.command()
def restore(
    archive: Annotated[Path, typer.Argument(metavar="ARCHIVE", help="A folder, or a .tar file.")],
    into: Annotated[
        Path | None,
        typer.Option(
            "--into", metavar="DIR", help="The project to be; by default ./GROUP.", show_default=False
        ),
    ] = None,
    no_verify: Annotated[bool, typer.Option("--no-verify", help="Stop when every file is compared.")] = False,
    json: Json = False,
) -> None:
    """Make the lock and the environment of an archive again, on this machine, without a network.

    First every file of the archive is hashed, and this machine asked for the interpreter and the system
    components that the lock needs. Then the environment is made from the archive alone, each installed file
    compared with the archive's wheels, and all verified. A run that was cut short is finished by another one.
    Where the lock's own Python is not here, another patch release (3.11.9 for 3.11.7) is used, and named.

    Exit status 0: restored and verified; 1: this machine lacks something, or the verification failed; 2: no
    archive, a damaged or a newer one, or the folder holds another project; 3: the disk failed.

    Example: envlock restore archives/thesis-a --into thesis-a
    """
    restored = app_restore(archive, into, progress_for_people(), verifying=not no_verify)
    print_result(restored, json=json, document=restored_document, text=restored_text)
    if restored.verified is not None and not restored.verified.report.passed:
        raise typer.Exit(ExitStatus.NO)
