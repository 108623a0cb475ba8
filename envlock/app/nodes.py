"""Whether this machine can be a node, of a given target too; locks are for nodes, and nodes run Linux."""

from __future__ import annotations

import os
from collections.abc import Iterable

from envlock.edges.host.system import other_system
from envlock.model.errors import RequestError
from envlock.model.project.target import Interpreter


def why_no_node() -> str:
    """Return why this machine is no node; empty where it can be one."""
    system = other_system()
    return f"this machine runs {system}, and nodes run Linux" if system else ""


def need_node(where: str, targets: Iterable[str] = (), *, instead: str = "") -> None:
    """Refuse to use this machine as a node if it is none: its tools and tags are another system's.

    Args:
        where: what was asked of it.
        targets: nodes that locks can be made for from here.
        instead: what to do, where a lock would not help.

    Raises:
        RequestError: ``not-a-node``.
    """
    why = why_no_node()
    if not why:
        return
    named = ", ".join(targets)
    describe = "" if named else "describe one (envlock detect --save NAME on it, or [targets.NAME] by hand); "
    raise RequestError(
        "not-a-node",
        why,
        where=where,
        hint=instead
        or f"{describe}for other targets everything but environments works here: "
        f"--target {named or 'NAME'}, with solve --lock-only",
    )


def need_machine(interpreter: Interpreter, target: str, where: str) -> None:
    """Refuse to make this machine's code for a target whose nodes are of another architecture.

    That the interpreter's path also exists here proves nothing: ``/usr/bin/python3`` exists on both.

    Args:
        interpreter: the target's, which tells its architecture.
        target: its name.
        where: what was asked of it.

    Raises:
        RequestError: ``another-machine``.
    """
    here, there = os.uname().machine, interpreter.markers.get("platform_machine", "")
    if there in {"", here}:
        return
    raise RequestError(
        "another-machine",
        f"this machine is {here}, and the nodes of the target {target!r} are {there}",
        where=where,
        why="environments and builds are made by the interpreter and the compilers that are here",
        hint="make the lock here with solve --lock-only, and the environment on such a node",
    )
