"""How much of a disk a folder takes up."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from envlock.model.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a folder takes up.

    Attributes:
        size: the total length of its files in bytes; a file with several names in it counts once.
        inodes: how many files, folders and links it consists of.
    """

    size: int
    inodes: int


NOTHING = Usage(size=0, inodes=0)


def usage(place: Path) -> Usage:
    """Measure a file or folder; what vanishes meanwhile does not count, and links are not followed."""
    if not place.is_dir():
        with suppress(FileNotFoundError):
            return Usage(size=place.lstat().st_size, inodes=1)
        return NOTHING
    sizes: dict[tuple[int, int], int] = {}
    waiting = [place]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    is_folder = entry.is_dir(follow_symlinks=False)
                    with suppress(FileNotFoundError):
                        found = entry.stat(follow_symlinks=False)
                        sizes[found.st_dev, found.st_ino] = 0 if is_folder else found.st_size
                    if is_folder:
                        waiting.append(Path(entry.path))
        except OSError:
            continue
    return Usage(size=sum(sizes.values()), inodes=len(sizes) + 1)
