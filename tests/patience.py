"""How long tests wait: for what must happen as long as a busy machine may take, for what must not briefly."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

PATIENCE_S = 600.0
"""Longer than anything takes on a machine that is busy with other things; reached only where a test fails."""


def wait_until(happened: Callable[[], bool]) -> bool:
    """Wait for something to happen; whether it did."""
    end = time.monotonic() + PATIENCE_S / 10
    while not happened():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def deadlines(first_s: float) -> Iterator[float]:
    """Deadlines that are to pass, each four times the one before.

    What a test looks at at a deadline has to have begun by then; a machine that is too busy for the first one
    gets another. The last one is as good as a failure.
    """
    yield from (first_s, 4 * first_s, 16 * first_s)
