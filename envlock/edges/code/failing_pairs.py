"""Analyses the files of distributions for what fails in their functions beside others."""

from __future__ import annotations

from collections.abc import Mapping

from envlock.analysis.functions.failing import Reader
from envlock.analysis.functions.holder import Holder
from envlock.analysis.imports.contents import Contents
from envlock.analysis.imports.old_words import is_translated
from envlock.edges.code.contents import read_contents
from envlock.edges.code.queries import ReleaseFiles
from envlock.edges.code.release_reads import BROKEN
from envlock.model.errors import SurroundingsError
from envlock.model.published.failing_use import FailingUse

_NOTHING = Contents({}, tells_all=False, is_whole=True, is_wheel=False)


class PairReader:
    """Files that are read once for all pairs, which come grouped by reader."""

    def __init__(
        self,
        wanted: Mapping[str, tuple[str, str]],
        removed: Mapping[tuple[str, str], frozenset[str]],
        catalogue: ReleaseFiles,
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
        """Return what fails; ``None`` if a file could not be had."""
        read, held = self._of(reader), self._of(holder)
        if read is None or held is None:
            return None
        if self._reader is None or self._reader.component != reader:
            modules = read.modules if read.is_whole and not _is_translated(read) else {}
            self._reader = Reader(reader, self._wanted[reader][0], modules, read.commands)
        if holder not in self._holders:
            self._holders[holder] = Holder(held)
        removed = self._removed.get((reader, holder), frozenset())
        try:
            return self._reader.failing(holder, self._holders[holder], removed)
        except SurroundingsError:
            return None

    def _of(self, component: str) -> Contents | None:
        """Return a component's contents, which are empty if it is not a distribution."""
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


def _is_translated(read: Contents) -> bool:
    """Whether what is installed is another text than what was read: its build translates it from Python 2."""
    return not read.is_wheel and "setup" in read.modules and is_translated(read.modules["setup"].source)
