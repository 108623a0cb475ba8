"""The interpreter that an environment was made with, which its own ``python`` links to."""

from __future__ import annotations

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
