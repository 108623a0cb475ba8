"""``envlock impact``."""

from __future__ import annotations

from typing import Annotated

import typer

from envlock.app.impact import Wanted
from envlock.app.impact import impact as app_impact
from envlock.cli.completions import systems_of, targets_of
from envlock.cli.opening import indexes, opened
from envlock.cli.options import HERE, Json, KnowledgeFolders, Offline, ProjectFolder, TargetName
from envlock.model.errors import ExitStatus
from envlock.render.standing.impact import impact_document, impact_text
from envlock.render.terminal.output import print_result

app = typer.Typer()

_PIN = "NAME==VERSION"


@app.command()
def impact(
    remove: Annotated[
        list[str] | None,
        typer.Option(
            "--remove",
            metavar=_PIN,
            help="A system component or Python no longer offered.",
            autocompletion=systems_of,
        ),
    ] = None,
    add: Annotated[
        list[str] | None, typer.Option("--add", metavar=_PIN, help="A system component offered besides.")
    ] = None,
    upgrade: Annotated[
        list[str] | None, typer.Option("--upgrade", metavar=_PIN, help="A distribution, wherever it is.")
    ] = None,
    driver: Annotated[
        str, typer.Option("--driver", metavar="VERSION", help="Another NVIDIA driver.", show_default=False)
    ] = "",
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="NAME",
            help="Another target, to go to.",
            show_default=False,
            autocompletion=targets_of,
        ),
    ] = "",
    resolve: Annotated[
        bool, typer.Option("--resolve", help="Solve again what breaks, or could take what is added.")
    ] = False,
    project: ProjectFolder = HERE,
    target: TargetName = "local",
    knowledge: KnowledgeFolders = None,
    json: Json = False,
    offline: Offline = False,
) -> None:
    """Show which groups a change of the site would break, and whom to ask.

    Locks are judged by the knowledge base against the target as it would be, and upgrades also by metadata
    of theirs and of what depends on them; nothing is written. An upgrade to a release that no index lists is
    refused.

    Exit status 0: every lock holds; 1: some break, or cannot be read.

    Example: envlock impact --remove openmpi==4.0.0 --resolve
    """
    whole = opened(project, target, knowledge, offline=offline)
    wanted = Wanted(remove=remove or (), add=add or (), upgrade=upgrade or (), driver=driver, to=to)
    if resolve or wanted.upgrade:
        with indexes(whole) as catalogue:
            found = app_impact(whole, wanted, catalogue, resolve=resolve)
    else:
        found = app_impact(whole, wanted)
    print_result(found, json=json, document=impact_document, text=impact_text)
    holds = not found.unread and not any(effect.breaks for effect in found.effects)
    raise typer.Exit(ExitStatus.YES if holds else ExitStatus.NO)
