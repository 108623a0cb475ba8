"""``envlock detect``."""

from __future__ import annotations

from typing import Annotated

import typer

from envlock.app.detect import detect as app_detect
from envlock.app.detect import save_target
from envlock.app.nodes import need_node, why_no_node
from envlock.cli.opening import opened
from envlock.cli.options import HERE, Json, KnowledgeFolders, Offline, ProjectFolder, TargetName
from envlock.render.target import target_document, target_text
from envlock.render.terminal.output import console, print_document, print_line

app = typer.Typer()


@app.command()
def detect(
    save: Annotated[
        str, typer.Option("--save", metavar="NAME", help="Keep it as [targets.NAME] in envlock.toml.")
    ] = "",
    project: ProjectFolder = HERE,
    target: TargetName = "local",
    knowledge: KnowledgeFolders = None,
    json: Json = False,
    offline: Offline = False,
) -> None:
    """Show this machine as a target.

    What it is, which interpreters and which system components it has. Run it on a compute node with --save,
    and the lock for that node can be made anywhere.

    Example: envlock detect --save gpu-a100
    """
    found = app_detect(knowledge or ())
    manifest = None
    if save:
        need_node(f"--save {save}")
        manifest = save_target(opened(project, target, knowledge, offline=offline), found, save)
    if json:
        print_document(target_document(found, no_node=why_no_node()))
        return
    target_text(found, console(), no_node=why_no_node())
    if manifest is not None:
        print_line(f"kept as [targets.{save}] in {manifest}")
        print_line(f"next, anywhere: envlock solve GROUP --target {save} --lock-only")
