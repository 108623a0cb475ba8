"""How much of the disk an environment takes up, counted once: nothing in it changes after it was made."""

from __future__ import annotations

import os
from pathlib import Path

from envlock.edges.cache import Cache, default_root
from envlock.edges.disk_usage import NOTHING, Usage, usage

_KIND = "environment-usage-1"


def environment_usage(prefix: Path) -> Usage:
    """Measure an environment of a store, or remember what it measured.

    It has tens of thousands of files, and where the store is on a network, its server is asked for each.
    What mends an environment lets its owner write to its folder, and in the end no longer, so that the time
    of that folder's last change tells what was measured before from what is there after.
    """
    try:
        found = os.lstat(prefix)
    except OSError:
        return NOTHING
    cache = Cache(default_root())
    key = f"{prefix}|{found.st_dev}|{found.st_ino}|{found.st_ctime_ns}"
    if (known := cache.read_as(_KIND, key, (int, int))) is not None:
        size, inodes = known
        return Usage(size=size, inodes=inodes)
    taken = usage(prefix)
    cache.keep(_KIND, key, (taken.size, taken.inodes))
    return taken
