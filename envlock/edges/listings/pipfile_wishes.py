"""What a ``Pipfile`` of Pipenv's requires, in the terms of a manifest (https://pipenv.pypa.io, "Pipfile")."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from envlock.edges.files import read_toml
from envlock.edges.listings.pip_options import requirement_line, without_secrets
from envlock.edges.listings.wish_files import NamedIndex, NamedSource, Wishes, index_name, read_lines
from envlock.model.decode import Table
from envlock.model.errors import RequestError
from envlock.model.project.package_sources import PIP, is_url

PIPFILE = "Pipfile"
_MAIN, _DEVELOPERS = "packages", "dev-packages"
_OTHER_TABLES = frozenset({"source", "requires", "pipenv", "scripts"})
_MARKERS = ("os_name", "platform_machine", "platform_system", "python_version", "sys_platform")
"""Markers that may be keys of an entry: ``sys_platform = "== 'linux'"``."""
_USUAL = "pypi"
"""What Pipenv calls the usual index."""


def read_pipfile(path: Path) -> Wishes:
    """Read the packages of a Pipfile; those of developers and of other categories are needed in addition.

    Raises:
        RequestError: it is not there, asks for nothing (``no-wishes``), or for what Pipenv would not accept.
    """
    root = Table(read_toml(path), file=str(path))
    categories = {name: root.table(name) for name in root.names() if name not in _OTHER_TABLES}
    entries = {name: dict(_entries(table)) for name, table in categories.items()}
    if not any(entries.values()):
        hint = "name one with requirements, or begin with some: envlock init torch==2.6.0"
        raise RequestError("no-wishes", "the file requires nothing", where=str(path), hint=hint)
    read = {name: read_lines(_lines(some)) for name, some in entries.items()}
    main = read.pop(_MAIN, Wishes())
    indexes: dict[str, NamedIndex] = {}
    left_out = [
        text
        for wishes in read.values()
        for text in (*wishes.left_out, *(folder.told for folder in wishes.folders))
    ]
    for source in root.tables("source"):
        url, name = source.text("url"), source.text("name", "")
        described = f"source {name or without_secrets(url)}; see [[indexes]] and [sources] of the manifest"
        if name.lower() == _USUAL:
            continue
        if without_secrets(url) != url or not is_url(url):
            left_out.append(described)
        else:
            # Pipenv takes from others than its first index only what is sent there.
            indexes[name] = NamedIndex(url, described, name=index_name(name or url), explicit=bool(indexes))
    everything = {name: entry for some in entries.values() for name, entry in some.items()}
    required = root.table("requires")
    return replace(
        main,
        python=required.text("python_version", "") or required.text("python_full_version", ""),
        further={
            "dev" if name == _DEVELOPERS else name: wishes.requires
            for name, wishes in read.items()
            if wishes.requires
        },
        indexes=(*main.indexes, *indexes.values()),
        sources=tuple(_sources(everything)),
        prereleases=tuple(everything)
        if root.table("pipenv").flag("allow_prereleases", default=False)
        else (),
        left_out=(*main.left_out, *left_out),
    )


def series_of(python: str) -> str:
    """Return the specifier for the interpreters that a Pipfile or its lock is for; empty for no version."""
    return f"=={python}.*" if re.fullmatch(r"\d+(\.\d+)*", python) else ""


def _entries(table: Table) -> Iterator[tuple[str, Table]]:
    """Yield each package with its entry, of which a bare text is the version."""
    for name in table.names():
        bare = isinstance(table.raw(name), str)
        yield name, Table({"version": table.text(name)}, file="", path="") if bare else table.table(name)


def _lines(entries: dict[str, Table]) -> Iterator[tuple[str, str]]:
    """Yield entries as lines for pip, each with its place."""
    for name, entry in entries.items():
        yield f"{PIPFILE}, {name}", _line(name, entry)


def _line(name: str, entry: Table) -> str:
    line = requirement_line(name, entry, "file")
    if entry.has("path"):
        return line
    markers = [*([entry.text("markers")] if entry.has("markers") else ())]
    markers += [f"{key} {entry.text(key)}" for key in _MARKERS if entry.has(key)]
    return line + (f" ; {' and '.join(f'({marker})' for marker in markers)}" if markers else "")


def _sources(entries: dict[str, Table]) -> Iterator[NamedSource]:
    for name, entry in entries.items():
        if entry.has("index"):
            index = entry.text("index")
            yield NamedSource(name, index=PIP if index.lower() == _USUAL else index_name(index))
