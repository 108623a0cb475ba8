"""Reads from ``poetry.lock`` what Poetry installs on one platform."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from envlock.edges.listings.marker_environments import Platform, Reader
from envlock.model.decode import Table
from envlock.model.published.listing import Listed, Listing, of_files

_MAIN = "main"
"""The group of a project's own dependencies."""


def is_poetry_lock(document: Mapping[str, object]) -> bool:
    """Whether a TOML document is a lock of Poetry's, which states what it was made for."""
    metadata = document.get("metadata")
    return isinstance(metadata, Mapping) and "content-hash" in metadata and "python-versions" in metadata


def read_poetry_lock(document: Mapping[str, object], path: Path, reader: Reader) -> Listing:
    """Return the packages that the locked project installs on the reader's platform, without extras.

    Raises:
        RequestError: the document has another form.
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
            wheels = (file for file in table.tables("files") if file.text("file").endswith(".whl"))
            listed.append(Listed(name=name, version=version, via=of_files(wheels)))
    return Listing(
        solved=True,
        kind="a poetry.lock",
        distributions=tuple(listed),
        passed_over=tuple(passed_over),
        read_for=platform.python,
    )


def _declared(text: str) -> str:
    """Return the interpreters, if PEP 440 can express them; Poetry's ``^3.10`` is taken as ``>=3.10``."""
    text = text.replace("^", ">=")
    try:
        return str(SpecifierSet(text))
    except InvalidSpecifier:
        return ""


def _meant(table: Table, platform: Platform) -> bool:
    """Whether the marker holds; of several (Poetry 2), that of the project's own dependencies."""
    if not table.has("markers"):
        return True
    written = table.raw("markers")
    marker = written.get(_MAIN, "") if isinstance(written, Mapping) else written
    return platform.meets_in(table, str(marker), key="markers")
