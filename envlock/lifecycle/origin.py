"""How a component came into a lock."""

from __future__ import annotations

import datetime as dt
from collections import deque
from collections.abc import Mapping

from envlock.model.component import PYTHON, Via
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.lock import Lock
from envlock.model.locked.pins import YOU


def chain_to(component: str, lock: Lock) -> tuple[str, ...]:
    """Return the shortest chain from a wish of the group to a component, each link with its version.

    It is the component alone if nothing leads to it (the interpreter's own needs, a bare surrounding).
    """
    pins = {pin.component: pin for pin in lock.distributions}
    waiting: deque[tuple[str, ...]] = deque(
        (pin.component,) for pin in lock.distributions if YOU in pin.asked_by
    )
    seen = {path[-1] for path in waiting}
    while waiting:
        path = waiting.popleft()
        if path[-1] == component:
            return tuple(f"{name} {pins[name].version}" for name in path)
        for needed in pins[path[-1]].dependencies:
            if needed in pins and needed not in seen:
                seen.add(needed)
                waiting.append((*path, needed))
    return (component,)


def needed_for(component: str, lock: Lock, knowledge: Knowledge) -> Mapping[str, tuple[str, ...]]:
    """Map reasons to what in the lock needs a component, by knowledge that metadata may lack."""
    there: list[tuple[str, str, dt.date | None, Via | None]] = [(PYTHON, lock.python, None, None)]
    there += [(pin.component, pin.version, None, None) for pin in lock.systems]
    for pin in lock.distributions:
        uploaded = pin.file.upload_time
        via = Via.WHEEL if pin.file.is_wheel else Via.BUILD
        there.append((pin.component, pin.version, uploaded.date() if uploaded else None, via))
    found = {
        need.reason: tuple(
            f"{name} {version}"
            for name, version, published, via in there
            if need.is_of(name, version, published, lock.python, via)
        )
        for need in knowledge.needs
        if need.component == component
    }
    return {reason: names for reason, names in found.items() if names}
