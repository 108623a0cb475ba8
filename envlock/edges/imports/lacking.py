"""Which names that one distribution reads on import another one, in the version beside it, does not have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import NamedTuple

from envlock.edges.cache import Cache, Form
from envlock.edges.declarations import meant_release
from envlock.edges.imports.holdings import Holdings
from envlock.edges.imports.modules import modules_of, tells_all
from envlock.edges.imports.reading import BROKEN, KIND, Files, OpenedFiles, file_to_read
from envlock.model.code_reads import CodeReads
from envlock.model.errors import SurroundingsError

_LACKS = f"{KIND}-lacks-11"
_FORM: Form = [str]
_THREADS = 2
"""Modules of a distribution take some hundred megabytes while they are looked through."""


class _Pair(NamedTuple):
    """A component that reads, one that may have what it reads, and the name of the answer in the cache."""

    reader: str
    holder: str
    key: str


def read_lacking(
    reads: Mapping[str, CodeReads],
    wanted: Mapping[str, tuple[str, str]],
    cache: Cache,
    opened: OpenedFiles | None,
    *,
    python: str = "",
) -> Mapping[tuple[str, str], tuple[str, ...]]:
    """Reader and holder -> the names that the one reads and that would be the other's, and are not there.

    Pairs of which that cannot be told, or that lack nothing, are left out.

    Args:
        reads: component -> what its code reads.
        wanted: component -> its name on an index, and its version.
        cache: where answers are kept.
        opened: opens the indexes; ``None`` where they may not be asked.
        python: the interpreter whose wheels are looked through (``3.11``); empty for the newest.
    """
    pairs = [
        _Pair(reader, holder, " ".join((code.distribution, code.version, *wanted[holder], *_minor(python))))
        for reader, code in reads.items()
        for holder in wanted
        if holder != reader
    ]
    kept = {pair: cache.read_as(_LACKS, pair.key, _FORM) for pair in pairs}
    found = {pair: tuple(names) for pair, names in kept.items() if names is not None}
    missing = [pair for pair in pairs if pair not in found]
    if missing and opened is not None:
        holders = list(dict.fromkeys(pair.holder for pair in missing))
        with opened() as catalogue, ThreadPoolExecutor(_THREADS) as pool:
            looked = pool.map(lambda holder: _holdings(catalogue, *wanted[holder], python), holders)
            for holder, holdings in zip(holders, looked, strict=True):
                of_it = [pair for pair in missing if pair.holder == holder]
                found |= {} if holdings is None else _looked_up(of_it, reads, holdings, cache)
    read = {reader: code.among(wanted).on_import for reader, code in reads.items()}
    told = {pair: tuple(name for name in names if name in read[pair.reader]) for pair, names in found.items()}
    return {(pair.reader, pair.holder): names for pair, names in told.items() if names}


def _holdings(catalogue: Files, name: str, version: str, python: str) -> Holdings | None:
    """``None`` where it could not be had this time; empty of what is large, or does not tell all."""
    try:
        if meant_release(version, catalogue.releases(name)) is None:
            return None
        file = file_to_read(catalogue, name, version, python)
        path = None if file is None else catalogue.local_file(file)
        return Holdings(modules_of(path) if path is not None and tells_all(path) else {})
    except (SurroundingsError, *BROKEN):
        return None


def _looked_up(
    pairs: Iterable[_Pair], reads: Mapping[str, CodeReads], holdings: Holdings, cache: Cache
) -> dict[_Pair, tuple[str, ...]]:
    """The names of each pair; they go into the cache."""
    found = {pair: _lacking(reads[pair.reader], holdings) for pair in pairs}
    for pair, names in found.items():
        with suppress(SurroundingsError):  # a judgement does not need a cache that can be written
            cache.write(_LACKS, pair.key, list(names))
    return found


def _lacking(code: CodeReads, holdings: Holdings) -> tuple[str, ...]:
    """What Python reads, whoever is there; what compiled modules look for tells more (``numpy.C_API_1``)."""
    places = code.among(frozenset().union(*code.beside)).on_import
    by_python = (name for name, where in places.items() if ":" in where)
    return tuple(filter(holdings.lacks, sorted(by_python)))


def _minor(python: str) -> list[str]:
    return python.split(".")[:2]
