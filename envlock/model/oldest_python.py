"""The oldest Python that environments are made for."""

from __future__ import annotations

from envlock.model.component import Range

OLDEST = (3, 6)
"""The oldest in which the probe runs, and for which uv makes environments."""
_NO_LATER = 30
"""Minor and patch releases below this are tried; a range has no least member that could be computed."""


def too_old(python: Range) -> bool:
    """Whether a range of Pythons has members before the oldest one, and none from it on."""
    minors = range(_NO_LATER)
    before = any(_admits(python, 3, minor) for minor in minors if (3, minor) < OLDEST)
    before = before or any(_admits(python, 2, minor) for minor in minors)
    return before and not any(_admits(python, 3, minor) for minor in minors if (3, minor) >= OLDEST)


def _admits(python: Range, major: int, minor: int) -> bool:
    return any(python.contains(f"{major}.{minor}.{patch}") for patch in range(_NO_LATER))
