"""How the demands of two locks on the node differ."""

from __future__ import annotations

from collections.abc import Mapping

from envlock.model.frozen import dataclass
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.lock import Lock
from envlock.model.locked.pinned import mpi_of


@dataclass(frozen=True, slots=True, kw_only=True)
class MinimumChange:
    """The minimum version of a component of the node, before and after; empty if there is none."""

    component: str
    old: str
    new: str


def minimum_changes(old: Mapping[str, str], new: Mapping[str, str]) -> tuple[MinimumChange, ...]:
    """Return every component for which either lock has a minimum, those that differ first."""
    found = [
        MinimumChange(component=name, old=old.get(name, ""), new=new.get(name, ""))
        for name in sorted(old.keys() | new.keys())
    ]
    return tuple(sorted(found, key=lambda one: one.old == one.new))


def mpi_family(lock: Lock, knowledge: Knowledge) -> str:
    """The MPI of a lock with its version; empty if it has none."""
    mpi = mpi_of(lock, knowledge)
    return f"{mpi.component} {mpi.version}" if mpi is not None else ""
