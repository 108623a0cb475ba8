"""Where one group's lock differs from the lock of a group that it should agree with."""

from __future__ import annotations

from envlock.model.frozen import dataclass
from envlock.model.locked.lock import Lock


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How far two locks agree on the distributions that both have.

    Attributes:
        group: the group to agree with.
        shared: how many distributions both have.
        differing: distribution -> the versions here and there, where these differ.
    """

    group: str
    shared: int
    differing: dict[str, tuple[str, str]]


def agreement(lock: Lock, other: Lock) -> Agreement:
    """Compare the distributions of a lock with those of another one."""
    there = {pin.component: pin.version for pin in other.distributions}
    both = {
        pin.component: (pin.version, there[pin.component])
        for pin in lock.distributions
        if pin.component in there
    }
    differing = {name: versions for name, versions in both.items() if versions[0] != versions[1]}
    return Agreement(group=other.group, shared=len(both), differing=differing)
