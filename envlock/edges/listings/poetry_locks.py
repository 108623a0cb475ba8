"""Reading ``poetry.lock``: what of it Poetry installs on one platform."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from packaging.markers import InvalidMarker
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from envlock.edges.listings.marker_environments import Platform, Reader
from envlock.model.decode import Table
from envlock.model.published.listing import Listed, Listing

_MAIN = "main"
"""The group of a project's own dependencies."""


def is_poetry_lock(document: Mapping[str, object]) -> bool:
    """Whether a document of TOML is one of Poetry's locks, which say what they were made for."""
    metadata = document.get("metadata")
    return isinstance(metadata, Mapping) and "content-hash" in metadata and "python-versions" in metadata


def read_poetry_lock(document: Mapping[str, object], path: Path, reader: Reader) -> Listing:
    """The packages that the locked project brings along on the reader's platform, its extras apart.

    Raises:
        RequestError: the document is of another form.
    """
    root = Table(document, file=str(path))
    platform = reader.platform(_declared(root.table("metadata").text("python-versions")))
    listed, passed_over = [], []
    for table in root.tables("package") if root.has("package") else ():
        name, version = table.text("name"), table.text("version")
        if table.flag("optional", default=False):
            passed_over.append(f"{name} {version} (of an extra)")
        elif not _meant(table, platform):
            passed_over.append(f"{name} {version} (for other platforms)")
        else:
            listed.append(Listed(name=name, version=version))
    return Listing(
        solved=True,
        kind="a poetry.lock",
        distributions=tuple(listed),
        passed_over=tuple(passed_over),
        read_for=platform.python,
    )


def _declared(text: str) -> str:
    """The interpreters, where they are written as PEP 440 has it; Poetry's own ``^3.10`` begins there."""
    text = text.replace("^", ">=")
    try:
        return str(SpecifierSet(text))
    except InvalidSpecifier:
        return ""


def _meant(table: Table, platform: Platform) -> bool:
    """Whether the marker holds, of several that of the project's own dependencies (Poetry 2)."""
    if not table.has("markers"):
        return True
    written = table.raw("markers")
    marker = written.get(_MAIN, "") if isinstance(written, Mapping) else written
    try:
        return platform.meets(str(marker))
    except InvalidMarker:
        raise table.error("this is no environment marker", key="markers") from None
