"""``cache``: what is kept of downloads and indexes, and rid of what nobody used lately."""

from __future__ import annotations

import time
from pathlib import Path

from envlock.edges.cache import default_root
from envlock.edges.cache_contents import CachePart, cache_parts, prune_cache
from envlock.model.frozen import dataclass

_DAY_S = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheContents:
    """What is in the user's cache, or was in it before it was pruned.

    Attributes:
        folder: where it is.
        parts: its files by kind.
        days: what nobody has used for so many days counts as unused.
        pruned: whether that is gone now.
    """

    folder: Path
    parts: tuple[CachePart, ...]
    days: int
    pruned: bool


def look_into_cache(*, days: int, prune: bool) -> CacheContents:
    """What is in the user's cache; with ``prune`` what nobody has used for so many days is removed.

    Raises:
        RequestError: the user has no folder for a cache.
    """
    folder, since = default_root(), time.time() - days * _DAY_S
    parts = cache_parts(folder, unused_since=since)
    if prune:
        prune_cache(folder, unused_since=since)
    return CacheContents(folder=folder, parts=parts, days=days, pruned=prune)
