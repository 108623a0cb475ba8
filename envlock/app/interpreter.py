"""Which of a target's interpreters a group gets where nobody else decides it."""

from __future__ import annotations

from packaging.version import Version

from envlock.model.errors import RequestError
from envlock.model.group import Group
from envlock.model.target import Interpreter, Target


def newest_interpreter(group: Group, target: Target) -> Interpreter | None:
    """The newest interpreter of the target that the group's Python range admits."""
    fitting = (one for one in target.interpreters if group.python.contains(one.version))
    return max(fitting, key=lambda one: Version(one.version), default=None)


def need_interpreter(group: Group, target: Target) -> Interpreter:
    """As ``newest_interpreter``.

    Raises:
        RequestError: there is none.
    """
    found = newest_interpreter(group, target)
    if found is not None:
        return found
    there = ", ".join(one.version for one in target.interpreters) or "none"
    raise RequestError(
        "no-interpreter",
        f"the target {target.name!r} has no Python {group.python.text.removeprefix('==')}",
        where=f"group {group.name!r}",
        why=f"interpreters found: {there}",
        hint="install one and put it on PATH, or ask for another version with python = ...",
    )
