"""What activates an environment in a shell, as changes to its variables."""

from __future__ import annotations

from collections.abc import Mapping

from envlock.model.frozen import dataclass

WRITTEN_BY = "; written by envlock "
"""In the first lines of a module file: how envlock knows its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Activation:
    """Changes to a shell's environment variables.

    Attributes:
        title: what is activated, in one line.
        group: the group that it belongs to.
        modules: the site's modules to load first, in order.
        prepended: variable -> folders to put before its value.
        set: variable -> value.
        unset: variables that must not be set.
    """

    title: str
    group: str
    modules: tuple[str, ...]
    prepended: Mapping[str, tuple[str, ...]]
    set: Mapping[str, str]
    unset: tuple[str, ...]
