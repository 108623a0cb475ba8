"""The modules of a distribution that are analysed: all of a small one, of a large one what is needed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
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
        is_legacy: whether they come from an sdist that any setuptools builds.
        compiled: if not all are at hand, those that are compiled.
        commands: the modules that its commands run, if its file was read whole.
        prefetch: fetches at once the modules in which some dotted names would be.
    """

    modules: Mapping[str, Module]
    tells_all: bool
    is_whole: bool
    is_wheel: bool
    compiled: Collection[str] = ()
    commands: Collection[str] = ()
    is_legacy: bool = False
    prefetch: Callable[[Iterable[str]], None] = _at_hand
