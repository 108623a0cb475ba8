"""What the code of one release reads of others' modules, found in its files."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from envlock.analysis.imports.guards import Guards
from envlock.analysis.imports.modules import Module, bundled_in, own_of, roots_of
from envlock.analysis.imports.old_words import is_translated
from envlock.analysis.imports.shares import reads_of_half
from envlock.analysis.imports.statements import reads_by_guards, with_parents
from envlock.edges.archive_damage import DamagedError
from envlock.edges.code.archived import asked_by_build, modules_of
from envlock.edges.code.contents import read_contents
from envlock.edges.code.queries import CodeQuery, ReleaseFiles
from envlock.edges.declarations import small_sdist
from envlock.edges.index.refusals import OFFLINE_MISS
from envlock.model.errors import SurroundingsError
from envlock.model.published.catalogue import DistFile
from envlock.model.published.code_reads import CodeReads

BROKEN = (OSError, DamagedError)
"""Errors raised when a damaged file is read."""

_SETUP = "setup"
_ALWAYS: Guards = frozenset()


def analysed(query: CodeQuery, catalogue: ReleaseFiles, today: dt.date, python: str) -> CodeReads | None:
    """Return what a release reads: nothing for a large one, ``None`` if its file cannot be fetched.

    Args:
        query: the release.
        catalogue: where its files are.
        today: the day to record.
        python: the interpreter whose wheel is analysed (``3.11``); empty for the newest.

    Raises:
        SurroundingsError: a certain requested file cannot be fetched.
    """
    if query.file is not None:
        return _of_file(query.file, catalogue, query, today)
    return (
        _of_sdist(catalogue, query, today)
        if query.only_setup
        else _of_release(catalogue, query, today, python)
    )


def _of_release(catalogue: ReleaseFiles, query: CodeQuery, today: dt.date, python: str) -> CodeReads | None:
    try:
        found = read_contents(catalogue, query.name, query.version, python)
        if found is None:
            return None
        modules = found.modules if found.is_whole else {}
        return _looked_through(modules, query, today, is_wheel=found.is_wheel, asked=found.asked)
    except (SurroundingsError, *BROKEN):
        return None


def _of_sdist(catalogue: ReleaseFiles, query: CodeQuery, today: dt.date) -> CodeReads | None:
    try:
        sdist = small_sdist(query.version, catalogue.releases(query.name))
        if sdist is None:
            return None
        path = catalogue.local_file(sdist)
        return _looked_through(modules_of(path), query, today, is_wheel=False, asked=asked_by_build(path))
    except (SurroundingsError, *BROKEN):
        return None


def _of_file(file: DistFile, catalogue: ReleaseFiles, query: CodeQuery, today: dt.date) -> CodeReads | None:
    try:
        return _looked_through(modules_of(catalogue.local_file(file)), query, today, is_wheel=file.is_wheel)
    except BROKEN:
        return None
    except SurroundingsError as error:
        if error.code != OFFLINE_MISS:
            raise
        return None


def _looked_through(
    modules: Mapping[str, Module],
    query: CodeQuery,
    today: dt.date,
    *,
    is_wheel: bool,
    asked: Mapping[str, str] = MappingProxyType({}),
) -> CodeReads:
    roots = query.parts or roots_of(modules, query.name)
    setup = {} if is_wheel or _SETUP not in modules else {_SETUP: modules[_SETUP]}
    translated = any(is_translated(module.source) for module in setup.values())
    is_sure = (bool(query.parts) or len(roots) == 1) and not translated
    reads = _of_others(modules, roots, postponed=query.postponed) if is_sure else {}
    on_import = reads.pop(_ALWAYS, {})
    shared = reads_of_half(modules, roots) if is_sure and not query.parts else {}
    return CodeReads(
        distribution=query.name,
        version=query.version,
        read=today,
        on_import={**shared, **on_import},
        on_build={**(_of_others(setup, [_SETUP])[_ALWAYS] if setup else {}), **asked},
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
