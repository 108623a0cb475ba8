"""The interpreter that an environment was made with, which its own ``python`` links to."""

from __future__ import annotations

import stat
from pathlib import Path

from envlock.edges.visible import is_there


def lost_interpreter(prefix: Path) -> Path | None:
    """Return where the interpreter of an environment was, if it is no longer visible from here.

    A program run by name would then be found further down ``PATH``, as another Python's.
    """
    link = prefix / "bin/python"
    if is_there(link):
        return None
    return link.readlink() if link.is_symlink() else link


def closed_to_others(prefix: Path) -> Path | None:
    """Return the folder that keeps other users of an environment from its interpreter, if there is one.

    None does where nobody else can enter the environment either.
    """
    for folder in reversed((prefix / "bin/python").resolve().parents):
        mode = folder.stat()
        shared = mode.st_mode & stat.S_IXGRP and mode.st_gid == prefix.stat().st_gid
        if not (mode.st_mode & stat.S_IXOTH or shared):
            return folder if _is_open(prefix) and not prefix.is_relative_to(folder) else None
    return None


def _is_open(prefix: Path) -> bool:
    """Whether others may enter a folder, if only those of its group."""
    return all(folder.stat().st_mode & (stat.S_IXOTH | stat.S_IXGRP) for folder in (prefix, *prefix.parents))
