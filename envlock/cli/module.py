"""``envlock module``."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from envlock.app.making.activation import write_module
from envlock.app.making.environment import current
from envlock.cli.opening import opened
from envlock.cli.options import HERE, GroupName, Json, KnowledgeFolders, Offline, ProjectFolder, TargetName
from envlock.render.standing.outdated import note_if_outdated
from envlock.render.terminal.output import print_document, print_line
from envlock.render.using.module_files import MODULE_FORMATS

app = typer.Typer()


class Format(StrEnum):
    """The formats of module files."""

    LUA = "lua"
    TCL = "tcl"


@app.command()
def module(
    group: GroupName,
    folder: Annotated[
        Path, typer.Option("--to", metavar="DIR", help="A folder of MODULEPATH.", show_default=False)
    ],
    name: Annotated[
        str,
        typer.Option(
            "--name", help="The module's name; fields are {group}, {target}, {python}, {lock}, {COMPONENT}."
        ),
    ] = "{group}/{lock}/{python}",
    form: Annotated[
        Format, typer.Option("--format", help="lua is for Lmod; tcl for Environment Modules, and Lmod too.")
    ] = Format.LUA,
    project: ProjectFolder = HERE,
    target: TargetName = "local",
    knowledge: KnowledgeFolders = None,
    json: Json = False,
    offline: Offline = False,
) -> None:
    """Write a module file for the environment that a group has now.

    It loads the site's modules that the lock needs, puts the environment first, ignores PYTHONPATH, and
    lets only one such environment be loaded at a time. It names one environment, which never changes and
    which envlock gc keeps as long as the file is there; after the next solve, write another.

    Example: envlock module pytorch --to /modules/nlpl --name "nlpl-pytorch/{torch}/{python}"
    """
    suffix, write = MODULE_FORMATS[form.value]
    whole = opened(project, target, knowledge, offline=offline)
    found = current(whole, group)
    note_if_outdated(found, group)
    written = write_module(whole, found, folder=folder, name=name, suffix=suffix, write=write)
    if json:
        print_document(
            {
                "schema": "envlock/module/1",
                "group": group,
                "target": target,
                "name": written.name,
                "file": str(written.path),
                "environment": str(written.prefix),
            }
        )
    else:
        print_line(f"module load {written.name}")
        print_line(f"file {written.path}")
