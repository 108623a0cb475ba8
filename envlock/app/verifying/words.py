"""The words for launchers and schedulers that a shell offers while a command is typed."""

from __future__ import annotations

from envlock.edges.launchers import LAUNCHERS
from envlock.edges.schedulers import SCHEDULERS


def scheduler_words() -> list[str]:
    """Return the words for ``--submit``."""
    return list(SCHEDULERS)


def launcher_words() -> list[str]:
    """Return the words for ``--launcher``."""
    return list(LAUNCHERS)
