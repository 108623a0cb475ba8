"""``envlock check``."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from envlock.app.checking.check import check_combination
from envlock.app.manifest_file import overlays_of
from envlock.cli import late
from envlock.cli.completions import targets_of
from envlock.cli.options import HERE, Json, KnowledgeFolders, Offline, ProjectFolder
from envlock.edges.cache import Cache, default_root
from envlock.model.errors import ExitStatus
from envlock.model.knowing.finding import Verdict
from envlock.render.knowing.judgement import checked_document, checked_text
from envlock.render.terminal.output import print_result
from envlock.render.terminal.progress import progress_for_people

app = typer.Typer()

_PATIENCE_S = 5.0


@app.command()
def check(
    components: Annotated[
        list[str] | None, typer.Argument(metavar="NAME==VERSION...", help="Components and their versions.")
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="FILE|PREFIX|-",
            help="A lock (pylock.toml, uv.lock, poetry.lock, Pipfile.lock, conda-lock.yml, pixi.lock), "
            "requirements file, pyproject.toml, Pipfile, environment.yml, pixi.toml or environment to judge; "
            "-: standard input.",
        ),
    ] = None,
    project: ProjectFolder = HERE,
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            metavar="NAME",
            help="Judge together with this target's nodes; 'local': this machine.",
            autocompletion=targets_of,
        ),
    ] = None,
    knowledge: KnowledgeFolders = None,
    json: Json = False,
    offline: Offline = False,
) -> None:
    """Judge a combination of versions without solving.

    By the knowledge base, and by what the distributions say about themselves: requirements, Python versions,
    wheels, and the names their code reads on import. The indexes are asked for that once; --offline goes
    by what is known.

    Exit status 0: compatible, or unknown: newer than the knowledge base, on no index, or on one that is out
    of reach; 1: incompatible.

    Examples: envlock check horovod==0.19.0 openmpi==3.1.3;
    envlock check --from requirements.txt --target gpu;
    pip freeze | envlock check --from -
    """
    overlays = overlays_of(project, knowledge or ())
    listing = node = None
    if source is not None or target is not None:
        others = late("app.checking.combination")  # importing it takes a third of a plain check's time
        node = others.node_of(project, target, overlays, offline=offline) if target else None
        listing = others.installed_together(source, node, components or (), overlays) if source else None
    cache = Cache(default_root())
    indexes = None if offline else partial(_indexes, cache)
    checked = check_combination(
        components or (),
        cache,
        indexes,
        overlays=overlays,
        listing=listing,
        target=node,
        progress=progress_for_people(),
    )
    print_result(checked, json=json, document=checked_document, text=checked_text)
    incompatible = checked.judgement.verdict is Verdict.INCOMPATIBLE
    raise typer.Exit(ExitStatus.NO if incompatible else ExitStatus.YES)


def _indexes(cache: Cache) -> Any:
    """Return the package indexes of pip's configuration, with less patience than a solve has."""
    configuration = late("edges.pip_configuration").read_pip_configuration()
    quick = replace(configuration, retries=1, timeout_s=min(configuration.timeout_s, _PATIENCE_S))
    return late("edges.index.catalogue").IndexCatalogue(quick, cache)
