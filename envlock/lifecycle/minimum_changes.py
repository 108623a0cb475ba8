"""How what two locks ask of the node differs."""

from __future__ import annotations

from collections.abc import Mapping

from envlock.model.frozen import dataclass
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.lock import Lock
from envlock.model.locked.pinned import mpi_of


@dataclass(frozen=True, slots=True, kw_only=True)
class MinimumChange:
    """The least version of a component of the node, before and after; empty where nothing is asked."""

    component: str
    old: str
    new: str


def minimum_changes(old: Mapping[str, str], new: Mapping[str, str]) -> tuple[MinimumChange, ...]:
    """Every component that one of the locks asks something of, those that differ first."""
    found = [
        MinimumChange(component=name, old=old.get(name, ""), new=new.get(name, ""))
        for name in sorted(old.keys() | new.keys())
    ]
    return tuple(sorted(found, key=lambda one: one.old == one.new))


def mpi_family(lock: Lock, knowledge: Knowledge) -> str:
    """The MPI of a lock with its version; empty where it has none."""
    mpi = mpi_of(lock, knowledge)
    return f"{mpi.component} {mpi.version}" if mpi is not None else ""
