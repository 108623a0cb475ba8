"""Numbers of things in English."""

from __future__ import annotations


def number_of(count: int, noun: str) -> str:
    """Say how many of something there are.

    >>> number_of(1, "wheel"), number_of(2, "wheel")
    ('1 wheel', '2 wheels')
    """
    return f"{count} {noun}{'' if count == 1 else 's'}"
