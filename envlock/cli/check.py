"""``envlock check``."""

from __future__ import annotations

from typing import Annotated

import typer

from envlock.app.check import check as app_check
from envlock.cli.options import HERE, Json, KnowledgeFolders, Offline, ProjectFolder, TargetName
from envlock.edges.knowledge_files import load_knowledge
from envlock.model.errors import ExitStatus
from envlock.model.finding import Verdict
from envlock.render.judgement import judgement_document, judgement_text
from envlock.render.output import console, print_document

app = typer.Typer()


@app.command()
def check(
    components: Annotated[
        list[str], typer.Argument(metavar="NAME==VERSION...", help="Components and their versions.")
    ],
    project: ProjectFolder = HERE,
    target: TargetName = "local",
    knowledge: KnowledgeFolders = None,
    json: Json = False,
    offline: Offline = False,
) -> None:
    """Judge a combination of versions without solving.

    Exit status 0: compatible, or unknown to the knowledge base; 1: incompatible.

    Example: envlock check horovod==0.19.0 openmpi==3.1.3
    """
    judgement = app_check(components, load_knowledge(overlays=tuple(knowledge or ())))
    if json:
        print_document(judgement_document(judgement))
    else:
        judgement_text(judgement, console())
    raise typer.Exit(ExitStatus.NO if judgement.verdict is Verdict.INCOMPATIBLE else ExitStatus.YES)
