"""``envlock cache``."""

from __future__ import annotations

from typing import Annotated

import typer

from envlock.app.cache import inspect_cache
from envlock.cli.options import Json
from envlock.render.keeping.cache import cache_document, cache_text
from envlock.render.terminal.output import print_result

app = typer.Typer()


@app.command()
def cache(
    prune: Annotated[bool, typer.Option("--prune", help="Remove what is unused.")] = False,
    days: Annotated[
        int,
        typer.Option(
            "--days", min=0, metavar="N", help="What nobody used for so many days is unused; 0: everything."
        ),
    ] = 30,
    json: Json = False,
) -> None:
    """Show what is kept of downloads and indexes, and with --prune remove what nobody has used lately.

    Environments, locks, built wheels and archives are elsewhere, and stay. What is missing is fetched again
    when it is needed, which --offline cannot. ENVLOCK_CACHE_DIR puts the cache into another folder.

    Example: envlock cache --prune --days 90
    """
    found = inspect_cache(days=days, prune=prune)
    print_result(found, json=json, document=cache_document, text=cache_text)
