"""What the code of releases reads of others' modules: from the cache, else from their files."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from envlock.analysis.imports.interpreters import puts_off_annotations
from envlock.edges.cache import Cache, Form
from envlock.edges.code.queries import LARGEST, CodeQuery, OpenedFiles, ReleaseFiles
from envlock.edges.threads import Threads
from envlock.model.locked.pins import DistributionPin
from envlock.model.published.code_reads import CodeReads

LARGEST_PINNED = 4 << 20
"""Size in bytes of the largest file that a solve analyses without need: it must not wait, and what it locks
is not always installed there."""

KIND = "code-reads-33"
"""Kind in the cache; the number changes whenever code is analysed differently."""

_FORM: Form = (str, [(str, str)], [(str, str)], [(str, [(str, str)])])
_THREADS = 4


def read_code(
    wanted: Mapping[str, tuple[str, str]],
    cache: Cache,
    opened: OpenedFiles | None,
    *,
    today: dt.date,
    python: str = "",
    parts: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> Mapping[str, CodeReads]:
    """Return what releases read of others' modules: empty for large ones, omitted if they cannot be fetched.

    Args:
        wanted: component -> the distribution's name on an index, and its version.
        cache: where answers are kept.
        opened: opens the indexes; ``None`` if they may not be asked.
        today: the day to record.
        python: the interpreter whose wheels are analysed (``3.11``); empty for the newest.
        parts: component -> the names by which its modules are imported, if not by its own.
    """
    asked = []
    for component, (name, version) in wanted.items():
        imported = tuple(sorted(parts.get(component, ())))
        key = _key(name, version, python, *imported)
        postponed = puts_off_annotations(python)
        asked.append(CodeQuery(component, name, version, key, postponed=postponed, parts=imported))
    return _read(asked, cache, opened, today, python)


def read_setups(
    wanted: Mapping[str, tuple[str, str]], cache: Cache, opened: OpenedFiles | None, *, today: dt.date
) -> Mapping[str, CodeReads]:
    """Return what the ``setup.py`` of small sdists reads, for releases that have wheels as well.

    Args:
        wanted: component -> the distribution's name on an index, and its version.
        cache: where answers are kept.
        opened: opens the indexes; ``None`` if they may not be asked.
        today: the day to record.
    """
    asked = [
        CodeQuery(component, name, version, f"{name} {version} sdist", only_setup=True)
        for component, (name, version) in wanted.items()
    ]
    found = _read(asked, cache, opened, today)
    return {component: replace(code, on_import={}, beside={}) for component, code in found.items()}


def read_pinned(
    pins: Sequence[DistributionPin],
    catalogue: ReleaseFiles,
    cache: Cache,
    *,
    today: dt.date,
    python: str = "",
    wholly: AbstractSet[str] = frozenset(),
) -> Mapping[str, CodeReads]:
    """Return what the exact files of an answer read, by component.

    Left out are files that are large or of unknown size and, offline, those that are not at hand. Of a large
    sdist that is worth waiting for, a wheel for another interpreter is read: its modules are the same. If the
    given interpreter defers annotations, these do not count.

    Args:
        pins: the parts of the answer whose code counts.
        catalogue: where their files are.
        cache: what was read before.
        today: the day that findings are dated with.
        python: the interpreter; empty for an unknown one.
        wholly: components whose files are worth waiting for if they are as large as a check reads.

    Raises:
        SurroundingsError: a file cannot be fetched.
    """
    postponed = puts_off_annotations(python)
    more = " without annotations" if postponed else ""
    asked = [
        CodeQuery(
            pin.component,
            pin.name,
            pin.version,
            f"{pin.name} {pin.version} {pin.file.filename}{more}",
            file=pin.file,
            postponed=postponed,
        )
        for pin in pins
        if 0 < pin.file.size <= (LARGEST if pin.component in wholly else LARGEST_PINNED)
    ]
    asked += [
        CodeQuery(
            pin.component, pin.name, pin.version, _key(pin.name, pin.version, python), postponed=postponed
        )
        for pin in pins
        if pin.component in wholly and not pin.file.is_wheel and pin.file.size > LARGEST
    ]
    return _read(asked, cache, lambda: nullcontext(catalogue), today, python)


def _read(
    asked: Sequence[CodeQuery],
    cache: Cache,
    opened: OpenedFiles | None,
    today: dt.date,
    python: str = "",
) -> dict[str, CodeReads]:
    """Return what is in the cache, by component, and what the indexes' files say where it has nothing."""
    found = {query.component: kept for query in asked if (kept := _kept(cache, query)) is not None}
    missing = [query for query in asked if query.component not in found]
    if missing and opened is not None:
        with opened() as catalogue:
            found |= _analysed(missing, catalogue, cache, today, python)
    return found


def _analysed(
    missing: Sequence[CodeQuery], catalogue: ReleaseFiles, cache: Cache, today: dt.date, python: str
) -> dict[str, CodeReads]:
    """Analyse the missing ones, some at once; return them by component, and cache them."""
    from envlock.edges.code.release_reads import analysed  # noqa: PLC0415 - what is kept needs no reader of code

    with Threads(_THREADS) as pool:
        looked = pool.map(lambda query: analysed(query, catalogue, today, python), missing)
        found = {query: reads for query, reads in zip(missing, looked, strict=True) if reads is not None}
    for query, reads in found.items():
        _keep(cache, reads, query.key)
    return {query.component: reads for query, reads in found.items()}


def imported_names(file: Path, name: str) -> Sequence[str]:
    """Return the names by which the modules in a distribution's file are imported.

    Raises:
        DamagedError: the file is damaged.
    """
    from envlock.analysis.imports.modules import roots_of  # noqa: PLC0415 - needed by few solves
    from envlock.edges.code.archived import modules_of  # noqa: PLC0415 - likewise

    return roots_of(modules_of(file), name)


def _kept(cache: Cache, asked: CodeQuery) -> CodeReads | None:
    document = cache.read_as(KIND, asked.key, _FORM)
    if document is None:
        return None
    day, on_import, on_build, beside = document
    return CodeReads(
        distribution=asked.name,
        version=asked.version,
        read=dt.date.fromisoformat(day),
        on_import=dict(on_import),
        on_build=dict(on_build),
        beside={frozenset(others.split()): dict(reads) for others, reads in beside},
    )


def _keep(cache: Cache, reads: CodeReads, key: str) -> None:
    beside = [(" ".join(sorted(others)), list(names.items())) for others, names in reads.beside.items()]
    document = (reads.read.isoformat(), list(reads.on_import.items()), list(reads.on_build.items()), beside)
    cache.keep(KIND, key, document)


def _key(name: str, version: str, python: str, *parts: str) -> str:
    return " ".join((name, version, *python.split(".")[:2], *parts))
