"""What fails in distributions' functions beside others: from the cache, else from their files."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import astuple, fields
from typing import Any

from xxhash import xxh64

from envlock.analysis.syntax_trees import without_collector
from envlock.edges.cache import Cache, Form
from envlock.edges.code.queries import OpenedFiles, PairQuery
from envlock.model.published.failing_use import FailingUse

_KIND = "failing-uses-35"
"""Kind in the cache; the number changes whenever functions are analysed differently."""

_Row = tuple[str, str, str, str, bool, bool, bool, bool]
_FORM: Form = [(str, str, str, str, bool, bool, bool, bool)]
_FIELDS = tuple(field.name for field in fields(FailingUse))


def read_failing(
    wanted: Mapping[str, tuple[str, str]],
    removed: Mapping[tuple[str, str], frozenset[str]],
    cache: Cache,
    opened: OpenedFiles | None,
    *,
    python: str = "",
    among: Collection[tuple[str, str]] | None = None,
) -> Mapping[tuple[str, str], tuple[FailingUse, ...]]:
    """Map (reader, holder) to the uses in the reader's functions that fail beside the holder, surest first.

    Pairs without known failures are left out, and so are those whose files cannot be fetched this time.

    Args:
        wanted: component -> its name on an index, and its version.
        removed: (reader, holder) -> names that the holder is known to have had before; of components without
            files, only these are known.
        cache: where answers are kept.
        opened: opens the indexes; ``None`` if they may not be asked.
        python: the interpreter whose wheels are analysed (``3.11``); empty for the newest.
        among: the wanted pairs that count; ``None`` for all.
    """
    if among is None:
        among = {(reader, holder) for reader in wanted for holder in wanted if reader != holder}
    pairs = {*among, *removed}
    asked = [
        PairQuery(
            reader, holder, _key(wanted, reader, holder, removed.get((reader, holder), frozenset()), python)
        )
        for reader, holder in sorted(pairs)
    ]
    kept = {pair: cache.read_as(_KIND, pair.key, _FORM) for pair in asked}
    found = {pair: tuple(map(_decoded, rows)) for pair, rows in kept.items() if rows is not None}
    missing = [pair for pair in asked if pair not in found]
    if missing and opened is not None:
        from envlock.edges.code.failing_pairs import PairReader  # noqa: PLC0415 - slow, and seldom needed

        with opened() as catalogue, without_collector():
            reader = PairReader(wanted, removed, catalogue, python)
            for pair in missing:
                uses = reader.failing(pair.reader, pair.holder)
                if uses is not None:
                    found[pair] = uses
                    cache.keep(_KIND, pair.key, list(map(astuple, uses)))
    return {(pair.reader, pair.holder): uses for pair, uses in found.items() if uses}


def _key(
    wanted: Mapping[str, tuple[str, str]], reader: str, holder: str, removed: Collection[str], python: str
) -> str:
    names = xxh64(" ".join(sorted(removed)).encode()).hexdigest()
    return " ".join((*wanted[reader], *wanted.get(holder, (holder,)), names, *python.split(".")[:2]))


def _decoded(row: _Row) -> FailingUse:
    values: dict[str, Any] = dict(zip(_FIELDS, row, strict=True))
    return FailingUse(**values)
