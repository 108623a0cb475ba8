"""How many builds and compilers a machine has room for, by what this process may use of it."""

from __future__ import annotations

import os

from envlock.edges.free_memory import free_bytes

_BYTES_OF_A_BUILD = 4 << 30
_BYTES_OF_A_COMPILER = 2 << 30
_MOST_BUILDS = 4
"""Many builds themselves start as many compilers as there are processors."""


def builds_at_a_time() -> int:
    """Return how many builds this machine has room for, by the processors we may use and memory for C++."""
    return max(1, min(len(os.sched_getaffinity(0)), free_bytes() // _BYTES_OF_A_BUILD, _MOST_BUILDS))


def compilers_at_a_time() -> int:
    """Return how many compilers one of as many builds as there is room for may start."""
    room = free_bytes() // builds_at_a_time() // _BYTES_OF_A_COMPILER
    return max(1, min(len(os.sched_getaffinity(0)), room))
