"""Reads from ``uv.lock``, a universal resolution, what is installed on one platform."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from envlock.edges.listings.marker_environments import Platform, Reader
from envlock.model.decode import Table
from envlock.model.published.listing import Listed, Listing, of_files

_DEFAULT_GROUP = "dev"
"""The dependency group that ``uv sync`` installs by default."""


def read_uv_lock(document: Mapping[str, object], path: Path, reader: Reader) -> Listing:
    """Return the packages that the locked project installs on the reader's platform.

    Raises:
        RequestError: the document has another form.
    """
    root = Table(document, file=str(path))
    platform = reader.platform(root.text("requires-python", ""))
    packages = list(root.tables("package"))
    projects = [table for table in packages if _is_project(table)]
    named = [table for table in packages if table.has("version") and not _is_project(table)]
    meant = [table for table in named if _for_this(table, platform)]
    if projects:
        reached = _reached(projects, packages, platform)
        meant = [table for table in meant if _key(table) in reached]
    listed = tuple(
        Listed(name=table.text("name"), version=table.text("version"), via=of_files(table.tables("wheels")))
        for table in meant
    )
    keys = {_key(table) for table in meant}
    left_out = [table for table in named if _key(table) not in keys]
    return Listing(
        solved=True,
        kind="a uv.lock",
        distributions=listed,
        passed_over=tuple(
            f"{table.text('name')} {table.text('version')} (for other platforms or extras)"
            for table in left_out
        ),
        read_for=platform.python,
    )


def _reached(projects: list[Table], packages: list[Table], platform: Platform) -> set[tuple[str, str]]:
    """Return the projects and all their dependencies; an edge without a version leads to every version."""
    by_name: dict[str, list[Table]] = {}
    for table in packages:
        by_name.setdefault(table.text("name"), []).append(table)
    reached: set[tuple[str, str]] = set()
    seen: set[tuple[str, str, str]] = set()
    waiting = [(table, extra) for table in projects for extra in ("", _DEFAULT_GROUP)]
    while waiting:
        table, extra = waiting.pop()
        if (*_key(table), extra) in seen:
            continue
        seen.add((*_key(table), extra))
        reached.add(_key(table))
        for edge in _edges(table, extra):
            if not platform.meets_in(edge, edge.text("marker", "")):
                continue
            for other in by_name.get(edge.text("name"), ()):
                if edge.text("version", "") in {"", other.text("version", "")}:
                    waiting += [(other, text) for text in ("", *edge.texts("extra"))]
    return reached


def _edges(table: Table, extra: str) -> Iterator[Table]:
    """Yield the dependencies of a package itself, or of one of its extras or groups."""
    if not extra:
        yield from table.tables("dependencies")
        return
    for kind in ("optional-dependencies", "dev-dependencies"):
        yield from table.table(kind).tables(extra)


def _for_this(table: Table, platform: Platform) -> bool:
    """Whether a fork of the resolution is for the platform; its markers are alternatives."""
    markers = table.texts("resolution-markers")
    return not markers or any(platform.meets_in(table, marker) for marker in markers)


def _is_project(table: Table) -> bool:
    """Whether a package is the locked project itself, or a member of its workspace."""
    source = table.document("source")
    return any(key in source for key in ("virtual", "editable"))


def _key(table: Table) -> tuple[str, str]:
    return table.text("name"), table.text("version", "")
