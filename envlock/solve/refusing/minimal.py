"""The smallest part of something that still fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def minimal(items: Sequence[T], fails: Callable[[tuple[T, ...]], bool]) -> tuple[T, ...]:
    """Return a subset that still fails and of which no single item can be spared.

    Chunks are deleted first, and halved when none can be, so that k needed ones among n items cost about
    k log n trials (delta debugging: A. Zeller and R. Hildebrandt, IEEE TSE 28(2), 2002).
    """
    kept = tuple(items)
    size = len(kept)
    while size:
        start = 0
        while start < len(kept):
            rest = kept[:start] + kept[start + size :]
            if fails(rest):
                kept = rest
            else:
                start += size
        size //= 2
    return kept
