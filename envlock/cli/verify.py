"""``envlock verify``."""

from __future__ import annotations

from typing import Annotated

import typer

from envlock.app.verify import verify as app_verify
from envlock.cli.opening import opened
from envlock.cli.options import HERE, GroupName, Json, KnowledgeFolders, Offline, ProjectFolder, TargetName
from envlock.model.errors import ExitStatus
from envlock.render.output import console, print_document
from envlock.render.progress import progress_for_people
from envlock.render.report import verified_document, verified_text

app = typer.Typer()


@app.command()
def verify(
    group: GroupName,
    ranks: Annotated[int, typer.Option("--ranks", "-n", min=1, help="How many ranks communicate.")] = 2,
    max_bytes: Annotated[
        int, typer.Option("--max-bytes", min=8, help="The largest message of an allreduce, in bytes.")
    ] = 1 << 20,
    project: ProjectFolder = HERE,
    target: TargetName = "local",
    knowledge: KnowledgeFolders = None,
    json: Json = False,
    offline: Offline = False,
) -> None:
    """Prove an environment: imports, libraries, allreduce on ranks.

    The environment's own interpreter imports everything into one process and lists native libraries that
    are loaded twice; then ranks under the environment's own MPI launcher reduce numbers with known sums over
    every back end. A crash or a hang is a result. The report is bound to the lock's hash and lies beside it.

    Exit status 0: verified; 1: something failed.

    Example: envlock verify pytorch --ranks 4
    """
    verified = app_verify(
        opened(project, target, knowledge, offline=offline),
        group,
        progress_for_people(),
        ranks=ranks,
        max_bytes=max_bytes,
    )
    if json:
        print_document(verified_document(verified))
    else:
        verified_text(verified, console())
    raise typer.Exit(ExitStatus.YES if verified.report.passed else ExitStatus.NO)
