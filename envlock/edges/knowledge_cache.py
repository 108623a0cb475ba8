"""What a knowledge base says of a few components, without parsing all of it: its documents cut by component.

The cache is keyed by the content of all documents, which is read and hashed every time, so that it is never
stale; a part that is missing or cut off makes the whole base be read as if there were no cache.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from envlock import __version__
from envlock.edges.cache import Cache
from envlock.edges.files import parse_toml
from envlock.edges.knowledge_files import Document, collect, content_digest, decode_documents
from envlock.model.errors import SurroundingsError
from envlock.model.knowledge import Knowledge
from envlock.model.knowledge_codec import KnowledgeDecoder

_KIND = "knowledge"
_CORE = "core"
_WHOLE = ("components.toml", "coverage.toml")
"""Documents that are read whole: what names mean, and up to where each has been checked."""

_Part = dict[int, tuple[str, str, Mapping[str, object]]]
"""Number in the base -> kind, file and table of a fact, a waiver or a build."""


def load_knowledge_of(
    names: Iterable[str], cache: Cache, directory: Path | None = None, overlays: Sequence[Path] = ()
) -> Knowledge:
    """All facts and builds that can have a say on some components; other parts of the base may be missing.

    Args:
        names: the components, as people write them.
        cache: where the parts are kept; one that cannot be written to is as good as none.
        directory: the base; by default the one shipped with the package.
        overlays: a site's own folders, as for ``load_knowledge``.

    Raises:
        RequestError: as ``load_knowledge``.
    """
    documents = collect(directory, overlays)
    digest = content_digest(documents)
    if (found := _Parts(cache, digest).load(names)) is not None:
        return found
    knowledge = decode_documents(documents)
    with suppress(SurroundingsError):
        _Parts(cache, digest).save(documents, knowledge)
    return knowledge


class _Parts:
    """The parts of one content in the cache."""

    def __init__(self, cache: Cache, digest: str) -> None:
        self._cache = cache
        self._digest = digest

    def load(self, names: Iterable[str]) -> Knowledge | None:
        core: Any = self._read(_CORE)
        if core is None:
            return None
        decoder = KnowledgeDecoder()
        for name, file, document in core["documents"]:
            (decoder.components if name == _WHOLE[0] else decoder.covers)(document, file)
        parts = self._gather(names, decoder.finish(self._digest), frozenset(core["parts"]))
        if parts is None:
            return None
        for _, (kind, file, table) in sorted(parts.items()):
            (decoder.builds if kind == "build" else decoder.facts)({kind: [table]}, file)
        return decoder.finish(self._digest, dt.datetime.now(dt.UTC).date())

    def _gather(self, names: Iterable[str], core: Knowledge, present: frozenset[str]) -> _Part | None:
        """The parts of the components and of all that they bring along; ``None`` where one is not whole."""
        parts: _Part = {}
        seen: set[str] = set()
        waiting = {core.component(name) for name in names}
        while waiting:
            name = waiting.pop()
            seen.add(name)
            found: Any = self._read(name) if name in present else []
            if found is None:
                return None
            parts |= {number: (kind, file, table) for number, kind, file, table in found}
            inside = (set(table.get("bundles", ())) for _, kind, _, table in found if kind == "build")
            waiting |= {core.component(one) for one in set().union(*inside)}
            waiting |= {core.flavour_of(name), *(one.component for one in core.carriers_of(name))}
            waiting |= {one.component for one in core.providers if one.distribution == name}
            waiting -= seen
        return parts

    def save(self, documents: Sequence[Document], knowledge: Knowledge) -> None:
        parsed = [(one, parse_toml(one.content, Path(one.file))) for one in documents]
        parts: dict[str, list[object]] = defaultdict(list)
        tables = list(_tables(parsed))
        spoken = _components(tables, knowledge)
        for number, ((kind, file, table), components) in enumerate(zip(tables, spoken, strict=True)):
            for component in sorted(components):
                parts[component].append([number, kind, file, _plain(table)])
        for component, entries in parts.items():
            self._write(component, entries)
        whole = [(one.name, one.file, _plain(document)) for one, document in parsed if one.name in _WHOLE]
        self._write(_CORE, {"documents": whole, "parts": sorted(parts)})

    def _read(self, part: str) -> object | None:
        return self._cache.read(_KIND, self._key(part))

    def _write(self, part: str, document: object) -> None:
        self._cache.write(_KIND, self._key(part), document)

    def _key(self, part: str) -> str:
        return f"{__version__} {self._digest} {part}"


def _tables(
    parsed: Iterable[tuple[Document, Mapping[str, object]]],
) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Facts, waivers and builds one by one, in the order of the base."""
    for one, document in parsed:
        for kind in ("fact", "waive", "build"):
            found = document.get(kind, [])
            for table in found if isinstance(found, list) else []:
                yield kind, one.file, table


def _components(tables: Sequence[tuple[str, str, Mapping[str, Any]]], knowledge: Knowledge) -> list[set[str]]:
    """The components that each table must be known for.

    What replaces or waives a fact goes wherever the fact goes, and the fact wherever that goes: one without
    the other would say something else.
    """
    spoken = [_spoken_of(kind, table, knowledge) for kind, _, table in tables]
    linked = [(index, _facts_of(kind, table)) for index, (kind, _, table) in enumerate(tables)]
    together: dict[str, set[str]] = {}
    for index, facts in linked:
        shared = spoken[index].union(*(together.get(fact, ()) for fact in facts))
        together |= dict.fromkeys(facts, shared)
    for index, facts in reversed(linked):
        spoken[index] = spoken[index].union(*(together[fact] for fact in facts))
        together |= dict.fromkeys(facts, spoken[index])
    return spoken


def _spoken_of(kind: str, table: Mapping[str, Any], knowledge: Knowledge) -> set[str]:
    names = [table["distribution"]] if kind == "build" else [*table.get("when", ()), *table.get("then", ())]
    return {knowledge.component(name) for name in names}


def _facts_of(kind: str, table: Mapping[str, Any]) -> list[str]:
    """The facts that a table is or is about."""
    if kind == "waive":
        return [table["fact"]]
    return [table[key] for key in ("id", "replaces") if key in table]


def _plain(value: object) -> object:
    """A parsed document as JSON can hold it; dates become the texts that the decoder reads as well."""
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return value.isoformat() if isinstance(value, dt.date) else value
