"""The interpreter that an environment was made with, to which its own ``python`` is a link."""

from __future__ import annotations

from pathlib import Path

from envlock.edges.looking import is_there


def lost_interpreter(prefix: Path) -> Path | None:
    """Where the interpreter of an environment was, if it cannot be seen from here any more.

    A program that is asked for by name is then looked for further down ``PATH``, where another Python has it.
    """
    link = prefix / "bin/python"
    if is_there(link):
        return None
    return link.readlink() if link.is_symlink() else link
