"""The interpreter of a group, where its target has none or one that will do."""

from __future__ import annotations

from envlock.model.errors import RequestError
from envlock.model.group import Group
from envlock.model.target import Interpreter, Target
from envlock.solve.interpreters import open_interpreters


def need_interpreters(group: Group, target: Target) -> tuple[Interpreter, ...]:
    """The interpreters of the target that the group's Python admits, one of each series, the newest first.

    Raises:
        RequestError: there is none.
    """
    if found := open_interpreters(group.python, target):
        return found
    there = ", ".join(one.version for one in target.interpreters) or "none"
    raise RequestError(
        "no-interpreter",
        f"the target {target.name!r} has no Python {group.python.text.removeprefix('==')}",
        where=f"group {group.name!r}",
        why=f"interpreters found: {there}",
        hint="install one and put it on PATH, or ask for another version with python = ...",
    )
