"""Decoding of the names that releases removed."""

from __future__ import annotations

from collections.abc import Mapping

from envlock.model.component import parse_version
from envlock.model.decode import Table
from envlock.model.knowing.knowledge_parts import Names, read_sources, read_version
from envlock.model.knowing.removal import Removal


def decode_removals(document: Mapping[str, object], file: str, names: Names) -> list[Removal]:
    """Decode a file of ``removals/``."""
    root = Table(document, file=file)
    found = []
    for table in root.tables("removal"):
        removal = Removal(
            component=names.name(table.text("component")),
            since=read_version(table, "since"),
            until=read_version(table, "until") if table.has("until") else "",
            listed=" ".join(table.texts("names")),
            sources=read_sources(table),
            warning=table.text("warning") if table.has("warning") else "",
        )
        if removal.until and parse_version(removal.until) <= parse_version(removal.since):
            raise table.error("names can only come back after they were removed", key="until")
        if not removal.listed:
            raise table.error("a removal needs names", key="names")
        if not removal.sources:
            raise table.error("a removal needs sources", key="sources")
        table.done()
        found.append(removal)
    root.done()
    return found
