"""What is said alike but for numbers, as facts on one release after another are."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")

_NUMBERS = re.compile(r"\d+(\.\d+)*")


def series(items: Iterable[T], said: Callable[[T], tuple[Hashable, str]]) -> Iterable[Sequence[T]]:
    """Group items that say the same of the same but for numbers, in the order of the first of each group.

    Args:
        items: what is grouped.
        said: the subject of an item, and its words.
    """
    groups: dict[Hashable, list[T]] = {}
    for item in items:
        of, words = said(item)
        groups.setdefault((of, _NUMBERS.sub("", words)), []).append(item)
    return groups.values()
