"""Names that one distribution reads on import, and that another, in its version beside it, lacks."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from envlock.edges.cache import Cache, Form
from envlock.edges.code.queries import OpenedFiles, PairQuery
from envlock.edges.code.reading import KIND
from envlock.edges.threads import Threads
from envlock.model.published.code_reads import CodeReads

_LACKS = f"{KIND}-lacks-23"
_FORM: Form = [str]
_THREADS = 2
"""A distribution's modules take some hundred megabytes while they are analysed."""


def read_lacking(
    reads: Mapping[str, CodeReads],
    wanted: Mapping[str, tuple[str, str]],
    cache: Cache,
    opened: OpenedFiles | None,
    *,
    python: str = "",
    among: Collection[tuple[str, str]] | None = None,
) -> Mapping[tuple[str, str], tuple[str, ...]]:
    """Map (reader, holder) to names that the reader reads, and that would be the holder's but are missing.

    Pairs for which that is unknown, or that lack nothing, are left out.

    Args:
        reads: component -> what its code reads.
        wanted: component -> its name on an index, and its version.
        cache: where answers are kept.
        opened: opens the indexes; ``None`` if they may not be asked.
        python: the interpreter whose wheels are analysed (``3.11``); empty for the newest.
        among: the pairs that count; ``None`` for all.
    """
    pairs = [
        PairQuery(
            reader, holder, " ".join((code.distribution, code.version, *wanted[holder], *_minor(python)))
        )
        for reader, code in reads.items()
        for holder in wanted
        if holder != reader and (among is None or (reader, holder) in among)
    ]
    kept = {pair: cache.read_as(_LACKS, pair.key, _FORM) for pair in pairs}
    found = {pair: tuple(names) for pair, names in kept.items() if names is not None}
    missing = [pair for pair in pairs if pair not in found]
    if missing and opened is not None:
        from envlock.edges.code.lacked_names import lacked_names  # noqa: PLC0415 - what is kept needs no reader of code

        holders = list(dict.fromkeys(pair.holder for pair in missing))
        with opened() as catalogue, Threads(_THREADS) as pool:
            by_holder = [[pair for pair in missing if pair.holder == holder] for holder in holders]
            lacked = pool.map(
                lambda pairs: lacked_names(
                    *wanted[pairs[0].holder], [reads[pair.reader] for pair in pairs], catalogue, python
                ),
                by_holder,
            )
            for of_holder, answers in zip(by_holder, lacked, strict=True):
                for pair, names in zip(of_holder, answers, strict=False):  # no answers without its files
                    found[pair] = names
                    cache.keep(_LACKS, pair.key, list(names))
    read = {reader: code.among(wanted).on_import for reader, code in reads.items()}
    counting = {
        pair: tuple(name for name in names if name in read[pair.reader]) for pair, names in found.items()
    }
    return {(pair.reader, pair.holder): names for pair, names in counting.items() if names}


def _minor(python: str) -> list[str]:
    return python.split(".")[:2]
