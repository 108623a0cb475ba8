"""What makes an environment active in somebody's shell, as changes to whatever is there."""

from __future__ import annotations

from collections.abc import Mapping

from envlock.model.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Activation:
    """Changes to a shell's environment.

    Attributes:
        title: what is activated, one line.
        group: the group that it belongs to.
        modules: modules of the site to load first, in order.
        prepended: variable -> folders that come before what it has.
        set: variable -> value.
        unset: variables that must not be there.
    """

    title: str
    group: str
    modules: tuple[str, ...]
    prepended: Mapping[str, tuple[str, ...]]
    set: Mapping[str, str]
    unset: tuple[str, ...]
