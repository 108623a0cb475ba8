"""``envlock init``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from envlock.app.initialise import init as app_init
from envlock.cli.options import HERE, Json, KnowledgeFolders, NewProjectFolder, Offline, TargetName
from envlock.model.command_line import as_word
from envlock.render.terminal.output import print_document, print_line

app = typer.Typer()


@app.command()
def init(
    requires: Annotated[
        list[str] | None,
        typer.Argument(metavar="[REQUIREMENT...]", help="What the group needs: torch==2.6.0"),
    ] = None,
    python: Annotated[
        str, typer.Option("--python", metavar="VERSION", help="Its Python; else the first solve chooses.")
    ] = "",
    begin_from: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="FILE",
            help="Begin with a requirements file, pyproject.toml, Pipfile, environment.yml, pixi.toml, "
            "setup.py or a program that says what it needs (# /// script).",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an envlock.toml that is there.")] = False,
    project: NewProjectFolder = HERE,
    target: TargetName = "local",
    knowledge: KnowledgeFolders = None,
    json: Json = False,
    offline: Offline = False,
) -> None:
    """Begin a project: write the smallest envlock.toml.

    Examples: envlock init --python 3.11 torch gensim; envlock init --from requirements.txt
    """
    begun = app_init(
        Path(project),
        python=python or None,
        requires=requires or (),
        begin_from=begin_from,
        force=force,
        overlays=knowledge or (),
    )
    if json:
        print_document(
            {
                "schema": "envlock/init/1",
                "manifest": str(begun.manifest),
                "group": begun.group,
                "python": begun.python or None,
                "requires": list(begun.requires),
                "further": {name: list(texts) for name, texts in begun.further.items()},
                "left_out": list(begun.left_out),
            }
        )
    else:
        python = f" on Python {begun.python}" if begun.python else ""
        print_line(f"wrote {begun.manifest} with the group {begun.group!r}{python}")
        if begun.further:
            print_line(f"groups that extend it: {', '.join(begun.further)}")
        for line in begun.left_out:
            print_line(f"left out: {line}")
        if begun.no_node:
            print_line(f"{begun.no_node}: describe one, envlock detect --save NAME on it")
            print_line(f"next: envlock solve {begun.group} --target NAME --lock-only")
        else:
            there = "" if project == HERE else f" --project {as_word(project)}"
            first = "" if begun.requires else "write into requires what the group needs, then "
            print_line(f"next: {first}envlock solve {begun.group}{there}")
