"""``cache``: show what is kept of downloads and indexes, and remove what nobody has used lately."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from envlock.edges.cache import default_root
from envlock.edges.cache_contents import CachePart, cache_parts, prune_cache
from envlock.model.frozen import dataclass

_DAY_S = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheContents:
    """What is in the user's cache, or was in it before pruning.

    Attributes:
        folder: where it is.
        parts: its files by kind; after pruning, the files counted as unused are those that were removed.
        days: what nobody has used for this many days counts as unused.
        pruned: whether the unused files have been removed.
        left: bytes of unused files that could not be removed.
    """

    folder: Path
    parts: tuple[CachePart, ...]
    days: int
    pruned: bool
    left: int = 0


def inspect_cache(*, days: int, prune: bool) -> CacheContents:
    """Return what is in the user's cache; with ``prune``, remove what nobody has used for ``days`` days.

    Raises:
        RequestError: the user has no folder for a cache.
    """
    folder, since = default_root(), time.time() - days * _DAY_S
    parts = cache_parts(folder, unused_since=since)
    if not prune:
        return CacheContents(folder=folder, parts=parts, days=days, pruned=False)
    prune_cache(folder, unused_since=since)
    left = {part.kind: part for part in cache_parts(folder, unused_since=since)}
    gone = tuple(_without(part, left.get(part.kind)) for part in parts)
    unused = sum(part.unused_size for part in left.values())
    return CacheContents(folder=folder, parts=gone, days=days, pruned=True, left=unused)


def _without(part: CachePart, left: CachePart | None) -> CachePart:
    """Return what was removed of a kind: its unused files less those still there, which others own."""
    if left is None:
        return part
    return replace(
        part,
        unused_files=max(part.unused_files - left.unused_files, 0),
        unused_size=max(part.unused_size - left.unused_size, 0),
    )
