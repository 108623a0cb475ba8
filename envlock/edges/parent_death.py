"""Programs that end with the process that started them, however that one ends."""

from __future__ import annotations

import signal
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1  # prctl(2)


def dying_with_parent(kind: signal.Signals = signal.SIGKILL) -> Callable[[], None] | None:
    """What asks the kernel to end a program with its parent, so that none goes on after we were killed.

    ``None`` where the kernel knows no such wish, as on a laptop that only locks.

    Args:
        kind: how; SIGTERM for one that has something to end itself.
    """
    import ctypes  # noqa: PLC0415 - few commands start such a program

    # Found before the fork, after which hardly anything may be done.
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    return None if prctl is None else lambda: prctl(_PR_SET_PDEATHSIG, kind)
