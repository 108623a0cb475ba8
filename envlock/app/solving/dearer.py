"""What one answer to a request costs beside another: other releases of what is asked for, and more builds."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from envlock.model.locked.pins import YOU, Solved


def dearer(other: Solved, answer: Solved, free: AbstractSet[str]) -> str:
    """Return what an answer costs more than the one there is; empty where it costs nothing.

    Args:
        other: the answer.
        answer: the one there is.
        free: components that the group asks for in any version, of which another release costs nothing.
    """
    here, there = ({pin.component: pin for pin in solved.distributions} for solved in (answer, other))
    moved = [
        f"{name} {there[name].version}" if name in there else f"doing without {name}"
        for name, pin in here.items()
        if YOU in pin.asked_by
        and name not in free
        and (name not in there or there[name].version != pin.version)
    ]
    before, after = ({name for name, pin in pins.items() if pin.build is not None} for pins in (here, there))
    if len(after) > len(before):
        moved += [f"building {name} {there[name].version}" for name in sorted(after - before)]
    return " and ".join(moved)
