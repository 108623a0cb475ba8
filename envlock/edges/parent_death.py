"""Make programs end with the process that started them, however that one ends."""

from __future__ import annotations

import signal
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1  # prctl(2)


def dying_with_parent(kind: signal.Signals = signal.SIGKILL) -> Callable[[], None] | None:
    """Return a function that asks the kernel to end a program with its parent, so none outlives us if killed.

    It is ``None`` if the kernel has no such call, as on a laptop that only locks.

    Args:
        kind: the signal; SIGTERM for a program that itself has something to end.
    """
    import ctypes  # noqa: PLC0415 - few commands start such a program

    # Looked up before the fork, after which hardly anything is safe to do.
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    return None if prctl is None else lambda: prctl(_PR_SET_PDEATHSIG, kind)
