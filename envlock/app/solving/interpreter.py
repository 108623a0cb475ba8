"""The interpreters of a target that suit a group, or the error where there is none."""

from __future__ import annotations

from envlock.model.command_line import LOCAL
from envlock.model.errors import RequestError
from envlock.model.oldest_python import OLDEST, too_old
from envlock.model.project.group import Group
from envlock.model.project.target import Interpreter, Target
from envlock.solve.interpreters import open_interpreters

_GET_ONE = "install one and put it on PATH, or load the module that does"


def refuse_too_old(group: Group) -> None:
    """Refuse a group whose Python no node could have an environment for.

    Raises:
        RequestError: ``python-too-old``.
    """
    if too_old(group.python):
        raise RequestError(
            "python-too-old",
            f"environments are made for Python {'.'.join(map(str, OLDEST))} and newer",
            where=f"group {group.name!r}",
            why=f"it asks for Python {_written(group)}",
            hint="ask for another, or for none: the solve then chooses one",
        )


def need_interpreters(group: Group, target: Target) -> tuple[Interpreter, ...]:
    """Return the target's interpreters that the group's Python admits, one of each series, newest first.

    Raises:
        RequestError: there is none.
    """
    if found := open_interpreters(group.python, target):
        return found
    refuse_too_old(group)
    there = ", ".join(interpreter.version for interpreter in target.interpreters) or "none"
    written = f"write which the nodes have, [[targets.{target.name}.interpreter]] with its version"
    raise RequestError(
        "no-interpreter",
        f"the target {target.name!r} has no Python {_written(group)}",
        where=f"group {group.name!r}",
        why=f"interpreters found: {there}",
        hint=f"{_GET_ONE if target.name == LOCAL else written}, or ask for another version with python = ...",
    )


def _written(group: Group) -> str:
    return group.python.text.removeprefix("==").removesuffix(".*")
