"""The modules of a distribution that are analysed: all of a small one, of a large one what is needed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from envlock.analysis.imports.modules import Module


def _at_hand(_: Iterable[str]) -> None:
    """Fetch nothing."""


class Contents(NamedTuple):
    """The contents of a distribution.

    Attributes:
        modules: its modules; each is fetched when it is asked for, unless ``is_whole``.
        tells_all: whether these are all that are installed.
        is_whole: whether all are at hand.
        is_wheel: whether they come from a wheel.
        compiled: if not all are at hand, those that are compiled.
        commands: the modules that its commands run, if its file was read whole.
        asked: if they come from an sdist, what its build asks of its tools, with file and line.
        prefetch: fetches at once the modules in which some dotted names would be.
    """

    modules: Mapping[str, Module]
    tells_all: bool
    is_whole: bool
    is_wheel: bool
    compiled: Collection[str] = ()
    commands: Collection[str] = ()
    asked: Mapping[str, str] = MappingProxyType({})
    prefetch: Callable[[Iterable[str]], None] = _at_hand
