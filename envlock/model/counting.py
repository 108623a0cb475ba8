"""Numbers of things in English, and the first of many."""

from __future__ import annotations

from collections.abc import Sequence


def number_of(count: int, noun: str) -> str:
    """Say how many of something there are.

    >>> number_of(1, "wheel"), number_of(2, "wheel")
    ('1 wheel', '2 wheels')
    """
    return f"{count} {noun}{'' if count == 1 else 's'}"


def first_of(names: Sequence[str], most: int = 4) -> str:
    """List the first of some names, and say how many more there are: a thousand are no message.

    >>> first_of(["a", "b"]), first_of(["a", "b", "c"], most=1)
    ('a, b', 'a and 2 more')
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
