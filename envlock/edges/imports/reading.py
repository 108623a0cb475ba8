"""What the code of releases reads of others' modules: from the cache, else from their files."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from envlock.edges.archive_damage import DamagedError
from envlock.edges.cache import Cache, Form
from envlock.edges.declarations import LARGEST_SDIST, meant_release
from envlock.edges.imports.contents import LARGEST, Files, read_contents
from envlock.edges.imports.guards import Guards
from envlock.edges.imports.interpreters import puts_off_annotations
from envlock.edges.imports.modules import Module, bundled_in, modules_of, own_of, roots_of
from envlock.edges.imports.shares import reads_of_half
from envlock.edges.imports.statements import reads_by_guards, with_parents
from envlock.edges.threads import Threads
from envlock.model.errors import SurroundingsError
from envlock.model.locked.pins import DistributionPin
from envlock.model.published.catalogue import DistFile
from envlock.model.published.code_reads import CodeReads

LARGEST_PINNED = 4 << 20
"""Size in bytes of the largest file that a solve analyses without need: it must not wait, and what it locks
is not always installed there."""

KIND = "code-reads-22"
"""Kind in the cache; the number changes whenever code is analysed differently."""

_FORM: Form = (str, [(str, str)], [(str, str)], [(str, [(str, str)])])
_SETUP = "setup"
_ALWAYS: Guards = frozenset()
_OFFLINE = "offline-miss"
BROKEN = (OSError, DamagedError)
"""Errors raised when a damaged file is read."""

_THREADS = 4


class _Asked(NamedTuple):
    """A release whose code is analysed.

    Attributes:
        component: its component.
        name: its name on an index.
        version: its version.
        key: its key in the cache.
        postponed: whether annotations do not count.
        parts: the names by which its modules are imported; empty for the distribution itself.
    """

    component: str
    name: str
    version: str
    key: str
    postponed: bool = False
    parts: tuple[str, ...] = ()


OpenedFiles = Callable[[], AbstractContextManager[Files]]
"""Opens the package indexes for as long as files are requested."""


def read_code(
    wanted: Mapping[str, tuple[str, str]],
    cache: Cache,
    opened: OpenedFiles | None,
    *,
    today: dt.date,
    python: str = "",
    parts: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> Mapping[str, CodeReads]:
    """Return what releases read of others' modules: empty for large ones, omitted if they cannot be had.

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
        asked.append(_Asked(component, name, version, key, puts_off_annotations(python), imported))
    found = _kept_of(asked, cache)
    missing = [one for one in asked if one.component not in found]
    if missing and opened is not None:
        with opened() as catalogue:
            found |= _at_once(missing, lambda one: _of_release(catalogue, one, today, python), cache)
    return found


def _of_release(catalogue: Files, asked: _Asked, today: dt.date, python: str) -> CodeReads | None:
    try:
        found = read_contents(catalogue, asked.name, asked.version, python)
        if found is None:
            return None
        modules = found.modules if found.is_whole else {}
        return _looked_through(modules, asked, today, is_wheel=found.is_wheel)
    except (SurroundingsError, *BROKEN):
        return None


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
        _Asked(component, name, version, f"{name} {version} sdist")
        for component, (name, version) in wanted.items()
    ]
    found = _kept_of(asked, cache)
    missing = [one for one in asked if one.component not in found]
    if missing and opened is not None:
        with opened() as catalogue:
            found |= _at_once(missing, lambda one: _of_sdist(catalogue, one, today), cache)
    return {component: replace(code, on_import={}, beside={}) for component, code in found.items()}


def _of_sdist(catalogue: Files, asked: _Asked, today: dt.date) -> CodeReads | None:
    try:
        release = meant_release(asked.version, catalogue.releases(asked.name))
        sdists = [one for one in release.files if not one.is_wheel] if release is not None else []
        if not sdists or sdists[0].size > LARGEST_SDIST:
            return None
        return _looked_through(modules_of(catalogue.local_file(sdists[0])), asked, today, is_wheel=False)
    except (SurroundingsError, *BROKEN):
        return None


def read_pinned(
    pins: Sequence[DistributionPin],
    catalogue: Files,
    cache: Cache,
    *,
    today: dt.date,
    python: str = "",
    wholly: AbstractSet[str] = frozenset(),
) -> Mapping[str, CodeReads]:
    """Return what the exact files of an answer read, by component.

    Left out are files that are large or of unknown size and, offline, those that are not at hand. If the
    given interpreter defers annotations, these do not count.

    Args:
        pins: the parts of the answer whose code counts.
        catalogue: where their files are.
        cache: what was read before.
        today: the day that findings are dated with.
        python: the interpreter; empty for an unknown one.
        wholly: components whose files are worth waiting for if they are as large as a check reads.

    Raises:
        SurroundingsError: a file cannot be had.
    """
    files = {
        pin.component: pin.file
        for pin in pins
        if 0 < pin.file.size <= (LARGEST if pin.component in wholly else LARGEST_PINNED)
    }
    postponed = puts_off_annotations(python)
    more = " without annotations" if postponed else ""
    asked = [
        _Asked(
            pin.component,
            pin.name,
            pin.version,
            f"{pin.name} {pin.version} {pin.file.filename}{more}",
            postponed,
        )
        for pin in pins
        if pin.component in files
    ]
    found = _kept_of(asked, cache)
    missing = [one for one in asked if one.component not in found]
    if missing:
        found |= _at_once(missing, lambda one: _of_file(files[one.component], catalogue, one, today), cache)
    return found


def _of_file(file: DistFile, catalogue: Files, asked: _Asked, today: dt.date) -> CodeReads | None:
    try:
        return _looked_through(modules_of(catalogue.local_file(file)), asked, today, is_wheel=file.is_wheel)
    except BROKEN:
        return None
    except SurroundingsError as error:
        if error.code != _OFFLINE:
            raise
        return None


def _kept_of(asked: Iterable[_Asked], cache: Cache) -> dict[str, CodeReads]:
    """Return what is in the cache, by component."""
    return {one.component: kept for one in asked if (kept := _kept(cache, one)) is not None}


def _at_once(
    missing: Sequence[_Asked], look: Callable[[_Asked], CodeReads | None], cache: Cache
) -> dict[str, CodeReads]:
    """Analyse the missing ones, some at once; return them by component, and cache them."""
    with Threads(_THREADS) as pool:
        looked = zip(missing, pool.map(look, missing), strict=True)
        found = {one: reads for one, reads in looked if reads is not None}
    for one, reads in found.items():
        _keep(cache, reads, one.key)
    return {one.component: reads for one, reads in found.items()}


def _looked_through(
    modules: Mapping[str, Module], asked: _Asked, today: dt.date, *, is_wheel: bool
) -> CodeReads:
    roots = asked.parts or roots_of(modules, asked.name)
    is_sure = bool(asked.parts) or len(roots) == 1
    reads = _of_others(modules, roots, postponed=asked.postponed) if is_sure else {}
    on_import = reads.pop(_ALWAYS, {})
    shared = reads_of_half(modules, roots) if is_sure and not asked.parts else {}
    setup = {} if is_wheel or _SETUP not in modules else {_SETUP: modules[_SETUP]}
    return CodeReads(
        distribution=asked.name,
        version=asked.version,
        read=today,
        on_import={**shared, **on_import},
        on_build=_of_others(setup, [_SETUP])[_ALWAYS] if setup else {},
        beside=reads,
    )


def _of_others(
    modules: Mapping[str, Module], roots: Sequence[str], *, postponed: bool = False
) -> dict[Guards, dict[str, str]]:
    own = own_of(modules) | bundled_in(modules)
    found = {
        guards: {name: where for name, where in reads.items() if own.isdisjoint(with_parents(name))}
        for guards, reads in reads_by_guards(modules, roots, postponed=postponed).items()
    }
    return {guards: reads for guards, reads in found.items() if reads or guards == _ALWAYS}


def _kept(cache: Cache, asked: _Asked) -> CodeReads | None:
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
    with suppress(SurroundingsError):  # a judgement does not need a writable cache
        cache.write(KIND, key, document)


def _key(name: str, version: str, python: str, *parts: str) -> str:
    return " ".join((name, version, *python.split(".")[:2], *parts))
