"""``envlock export``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from envlock.app.export import Form
from envlock.app.export import export as app_export
from envlock.app.output_files import write_output
from envlock.cli.opening import indexes, opened
from envlock.cli.options import HERE, GroupName, Json, KnowledgeFolders, Offline, ProjectFolder, TargetName
from envlock.render.terminal.output import print_document, print_text

app = typer.Typer()


@app.command()
def export(
    group: GroupName,
    form: Annotated[Form, typer.Option("--format", help="The form to export to.")] = Form.REQUIREMENTS,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write it there.", show_default=False),
    ] = None,
    project: ProjectFolder = HERE,
    target: TargetName = "local",
    knowledge: KnowledgeFolders = None,
    json: Json = False,
    offline: Offline = False,
) -> None:
    """Write a group's lock in a form that other tools read.

    ``requirements`` is a requirements.txt with hashes; ``pylock`` is the lock without envlock's own part (the
    lock itself is a pylock file, too); ``sbom`` is a CycloneDX bill of materials with system components and
    licences; ``ro-crate`` describes the lock and its evidence for research repositories, and belongs beside
    them as ro-crate-metadata.json. What system components a build needs only the sbom and the lock can say.

    Example: envlock export thesis-a --format sbom -o thesis-a.cdx.json
    """
    whole = opened(project, target, knowledge, offline=offline)
    with indexes(whole) as catalogue:
        text = app_export(whole, group, form, catalogue)
    if output is not None:
        write_output(output, text)
    if json:
        place = {"file": str(output)} if output else {"text": text}
        print_document({"schema": "envlock/export/1", "group": group, "format": form.value, **place})
    elif output is None:
        print_text(text)
