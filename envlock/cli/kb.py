"""``envlock kb``.

It takes the options that all commands take, though it needs neither a target nor the network.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from envlock.app import kb as app_kb
from envlock.app.manifest_file import overlays_of
from envlock.cli.common_first import CommonFirstGroup
from envlock.cli.completions import components_of, facts_of
from envlock.cli.options import HERE, Json, KnowledgeFolders, Offline, ProjectFolder, TargetName
from envlock.model.errors import ExitStatus
from envlock.render.knowing import kb as views
from envlock.render.knowing import kb_component
from envlock.render.terminal.output import print_result

app = typer.Typer(
    cls=CommonFirstGroup, no_args_is_help=True, help="Look into the knowledge base, and check it."
)


@app.command()
def show(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="A component.", autocompletion=components_of)
    ] = None,
    project: ProjectFolder = HERE,
    target: TargetName = "local",
    knowledge: KnowledgeFolders = None,
    json: Json = False,
    offline: Offline = False,
) -> None:
    """All that is known of a component; without a name, which components there are.

    Example: envlock kb show horovod
    """
    base = app_kb.base(overlays_of(project, knowledge or ()))
    if name is None:
        found = app_kb.inventory(base)
        print_result(found, json=json, document=views.inventory_document, text=views.inventory_text)
        return
    shown = app_kb.show(name, base)
    print_result(shown, json=json, document=kb_component.component_document, text=kb_component.component_text)


@app.command()
def why(
    fact: Annotated[
        str, typer.Argument(metavar="FACT", help="A fact's identifier.", autocompletion=facts_of)
    ],
    project: ProjectFolder = HERE,
    target: TargetName = "local",
    knowledge: KnowledgeFolders = None,
    json: Json = False,
    offline: Offline = False,
) -> None:
    """One fact: what it says, how that is known, and the examples that prove it.

    Example: envlock kb why horovod-openmpi-3.1.3
    """
    found = app_kb.why(fact, app_kb.base(overlays_of(project, knowledge or ())))
    print_result(found, json=json, document=views.why_document, text=views.why_text)


@app.command()
def search(
    words: Annotated[list[str], typer.Argument(metavar="WORD...", help="Words that must all occur.")],
    project: ProjectFolder = HERE,
    target: TargetName = "local",
    knowledge: KnowledgeFolders = None,
    json: Json = False,
    offline: Offline = False,
) -> None:
    """Facts, changes, builds and components in which all words occur.

    Exit status 1: there are none. Example: envlock kb search shared memory
    """
    hits = app_kb.search(words, app_kb.base(overlays_of(project, knowledge or ())))
    print_result(hits, json=json, document=views.search_document, text=views.search_text)
    raise typer.Exit(ExitStatus.YES if hits else ExitStatus.NO)


@app.command()
def lint(
    directory: Annotated[
        Path | None,
        typer.Argument(metavar="[DIR]", help="The base to check; by default the one that envlock uses."),
    ] = None,
    project: ProjectFolder = HERE,
    target: TargetName = "local",
    knowledge: KnowledgeFolders = None,
    json: Json = False,
    offline: Offline = False,
) -> None:
    """Check a knowledge base: its form, sources, names, and every fact by its own examples.

    Exit status 1: there is something to correct. A site's own folder is checked together with the base:
    envlock kb lint --knowledge DIR
    """
    given = knowledge or ()
    problems = app_kb.lint(directory, tuple(given) if directory else overlays_of(project, given))
    print_result(problems, json=json, document=views.lint_document, text=views.lint_text)
    raise typer.Exit(ExitStatus.NO if problems else ExitStatus.YES)


@app.command()
def stats(
    project: ProjectFolder = HERE,
    target: TargetName = "local",
    knowledge: KnowledgeFolders = None,
    json: Json = False,
    offline: Offline = False,
) -> None:
    """How much is known, family by family, and how well."""
    found = app_kb.stats(app_kb.base(overlays_of(project, knowledge or ())))
    print_result(found, json=json, document=views.stats_document, text=views.stats_text)


@app.command()
def diff(
    old: Annotated[str, typer.Argument(metavar="OLD", help="A folder, REVISION, or REVISION:FOLDER.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="Likewise.")] = "knowledge",
    project: ProjectFolder = HERE,
    target: TargetName = "local",
    knowledge: KnowledgeFolders = None,
    json: Json = False,
    offline: Offline = False,
) -> None:
    """How two knowledge bases differ: entries that were added, removed or changed.

    Example: envlock kb diff HEAD~10 HEAD
    """
    found = app_kb.diff(old, new, project)
    print_result(found, json=json, document=views.diff_document, text=views.diff_text)
