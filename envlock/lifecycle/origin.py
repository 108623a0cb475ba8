"""How a component came into a lock."""

from __future__ import annotations

from collections import deque

from envlock.model.lock import Lock
from envlock.model.pins import YOU


def chain_to(component: str, lock: Lock) -> tuple[str, ...]:
    """The shortest way from something the group asked for down to a component, each with its version.

    Only the component itself where nothing leads to it (the interpreter's own needs, a bare surrounding).
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
