"""Whether the machine at hand can be a node; locks are for nodes, and nodes run Linux."""

from __future__ import annotations

from collections.abc import Iterable

from envlock.edges.host.system import other_system
from envlock.model.errors import RequestError


def why_no_node() -> str:
    """Why this machine is no node; empty where it can be one."""
    system = other_system()
    return f"this machine runs {system}, and nodes run Linux" if system else ""


def need_node(where: str, targets: Iterable[str] = (), *, instead: str = "") -> None:
    """Refuse what takes this machine for a node where it is none: its tools and tags are another system's.

    Args:
        where: what was asked of it.
        targets: nodes that locks can be made for from here.
        instead: what to do, where no lock would do.

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
        or f"{describe}for others all but environments works here: --target {named or 'NAME'}, "
        "with solve --lock-only",
    )
