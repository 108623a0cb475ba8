"""What fails in the functions of distributions beside others: out of the cache, else from their files."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import NamedTuple

from xxhash import xxh64

from envlock.edges.cache import Cache, Form
from envlock.edges.functions.failing import Holder, Reader
from envlock.edges.imports.contents import Contents, Files, read_contents
from envlock.edges.imports.reading import BROKEN, OpenedFiles
from envlock.edges.syntax_trees import without_collector
from envlock.model.errors import SurroundingsError
from envlock.model.published.failing_use import FailingUse

_KIND = "failing-uses-18"
"""Of the cache; another number where functions are looked through in another way."""

_Row = tuple[str, str, str, str, bool, bool, bool]
_FORM: Form = [(str, str, str, str, bool, bool, bool)]


_NOTHING = Contents({}, tells_all=False, is_whole=True, is_wheel=False)


class _Pair(NamedTuple):
    """A component whose functions count, one that they use, and the name of the answer in the cache."""

    reader: str
    holder: str
    key: str


def read_failing(
    wanted: Mapping[str, tuple[str, str]],
    removed: Mapping[tuple[str, str], frozenset[str]],
    cache: Cache,
    opened: OpenedFiles | None,
    *,
    python: str = "",
) -> Mapping[tuple[str, str], tuple[FailingUse, ...]]:
    """Reader and holder -> what of the reader's functions fails beside the holder, the surest first.

    Pairs of which nothing is known are left out, and those whose files cannot be had this time.

    Args:
        wanted: component -> its name on an index, and its version.
        removed: reader and holder -> names that the holder is known to have had before; those of components
            that have no files are known by these alone.
        cache: where answers are kept.
        opened: opens the indexes; ``None`` where they may not be asked.
        python: the interpreter whose wheels are looked through (``3.11``); empty for the newest.
    """
    pairs = {(reader, holder) for reader in wanted for holder in wanted if reader != holder} | removed.keys()
    asked = [
        _Pair(
            reader, holder, _key(wanted, reader, holder, removed.get((reader, holder), frozenset()), python)
        )
        for reader, holder in sorted(pairs)
    ]
    kept = {pair: cache.read_as(_KIND, pair.key, _FORM) for pair in asked}
    found = {pair: tuple(map(_decoded, rows)) for pair, rows in kept.items() if rows is not None}
    missing = [pair for pair in asked if pair not in found]
    if missing and opened is not None:
        with opened() as catalogue, without_collector():
            looking = _Looking(wanted, removed, catalogue, python)
            for pair in missing:
                uses = looking.failing(pair.reader, pair.holder)
                if uses is not None:
                    found[pair] = uses
                    with suppress(SurroundingsError):  # a judgement does not need a cache that can be written
                        cache.write(_KIND, pair.key, list(map(_encoded, uses)))
    return {(pair.reader, pair.holder): uses for pair, uses in found.items() if uses}


class _Looking:
    """Files that are looked through once for all pairs, whose readers come one after the other."""

    def __init__(
        self,
        wanted: Mapping[str, tuple[str, str]],
        removed: Mapping[tuple[str, str], frozenset[str]],
        catalogue: Files,
        python: str,
    ) -> None:
        self._wanted = wanted
        self._removed = removed
        self._catalogue = catalogue
        self._python = python
        self._contents: dict[str, Contents | None] = {}
        self._reader: Reader | None = None
        self._holders: dict[str, Holder] = {}

    def failing(self, reader: str, holder: str) -> tuple[FailingUse, ...] | None:
        """What fails; ``None`` where a file could not be had."""
        read, held = self._of(reader), self._of(holder)
        if read is None or held is None:
            return None
        if self._reader is None or self._reader.component != reader:
            self._reader = Reader(reader, self._wanted[reader][0], read.modules if read.is_whole else {})
        if holder not in self._holders:
            self._holders[holder] = Holder(held)
        removed = self._removed.get((reader, holder), frozenset())
        try:
            return self._reader.failing(holder, self._holders[holder], removed)
        except SurroundingsError:
            return None

    def _of(self, component: str) -> Contents | None:
        """What a component consists of, nothing if it is no distribution."""
        if component not in self._wanted:
            return _NOTHING
        if component not in self._contents:
            self._contents[component] = self._read(component)
        return self._contents[component]

    def _read(self, component: str) -> Contents | None:
        try:
            return read_contents(self._catalogue, *self._wanted[component], self._python) or _NOTHING
        except (SurroundingsError, *BROKEN):
            return None


def _key(
    wanted: Mapping[str, tuple[str, str]], reader: str, holder: str, removed: Collection[str], python: str
) -> str:
    names = xxh64(" ".join(sorted(removed)).encode()).hexdigest()
    return " ".join((*wanted[reader], *wanted.get(holder, (holder,)), names, *python.split(".")[:2]))


def _encoded(use: FailingUse) -> _Row:
    return use.name, use.fault, use.where, use.function, use.is_sure, use.on_import, use.is_central


def _decoded(row: _Row) -> FailingUse:
    name, fault, where, function, is_sure, on_import, is_central = row
    return FailingUse(
        name=name,
        fault=fault,
        where=where,
        function=function,
        is_sure=is_sure,
        on_import=on_import,
        is_central=is_central,
    )
