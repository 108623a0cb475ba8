"""Where one group's lock differs from that of a group with which it is to agree."""

from __future__ import annotations

from envlock.model.frozen import dataclass
from envlock.model.locked.lock import Lock


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How far two locks agree on the distributions that both have.

    Attributes:
        group: the group that is to be agreed with.
        shared: how many distributions both have.
        differing: those at different versions -> the version here, the version there.
    """

    group: str
    shared: int
    differing: dict[str, tuple[str, str]]


def agreement(lock: Lock, other: Lock) -> Agreement:
    """How far a lock agrees with another one."""
    there = {pin.component: pin.version for pin in other.distributions}
    both = {
        pin.component: (pin.version, there[pin.component])
        for pin in lock.distributions
        if pin.component in there
    }
    differing = {name: versions for name, versions in both.items() if versions[0] != versions[1]}
    return Agreement(group=other.group, shared=len(both), differing=differing)
