"""Names that a misspelt one may have meant."""

from __future__ import annotations

from collections.abc import Iterable


def near_names(name: str, known: Iterable[str], *, most: int = 1, alike: float = 0.6) -> list[str]:
    """The known names most like one that nobody knows, the nearest first.

    Args:
        name: the name.
        known: what it may have meant.
        most: how many to tell.
        alike: from which ratio of equal characters on (``difflib.SequenceMatcher.ratio``, 0 to 1).
    """
    from difflib import get_close_matches  # noqa: PLC0415 - 1 ms, and most names are right

    return get_close_matches(name, list(known), n=most, cutoff=alike)
