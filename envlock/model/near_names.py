"""Known names that a misspelt one may have meant."""

from __future__ import annotations

from collections.abc import Iterable

OF_DISTRIBUTION = 0.7
"""How alike names of distributions are, which are many: "pyav" and "pygam" have two thirds in common."""


def near_names(name: str, known: Iterable[str], *, most: int = 1, alike: float = 0.6) -> list[str]:
    """Return the known names closest to one that is not known, nearest first.

    Args:
        name: the unknown name.
        known: the names it may have meant.
        most: how many to return at most.
        alike: the least ratio of equal characters (``difflib.SequenceMatcher.ratio``, 0 to 1).
    """
    from difflib import get_close_matches  # noqa: PLC0415 - takes 1 ms, and most names are right

    return get_close_matches(name, list(known), n=most, cutoff=alike)
