"""What there is at a path that others made; what this user may not look into counts as missing.

On a shared machine, ``PATH`` and other variables also name other users' folders. Up to Python 3.13 pathlib's
own checks raise there, while those of ``os.path`` and ``glob`` say no.
"""

from __future__ import annotations

import os
import shutil
import stat
from glob import glob
from pathlib import Path


def is_file(path: Path) -> bool:
    """Whether a file is there, as far as this user can see."""
    return os.path.isfile(path)  # noqa: PTH113 - see above


def text_of(path: Path) -> str:
    """Return a file's text; empty for none, and for one that this user may not read."""
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""


def may_be_file(path: Path) -> bool:
    """Whether a file is there, or may be, in a folder closed to this user, which reading it then tells."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116 - see above
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False


def is_folder(path: Path) -> bool:
    """Whether a folder is there, as far as this user can see."""
    return os.path.isdir(path)  # noqa: PTH112 - see above


def folder_identity(path: Path) -> tuple[int, int] | None:
    """Return a folder's device and inode, which all its names share; ``None`` if this user sees no folder."""
    try:
        found = os.stat(path)  # noqa: PTH116 - see above
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISDIR(found.st_mode) else None


def is_there(path: Path) -> bool:
    """Whether anything is there, as far as this user can see."""
    return os.path.exists(path)  # noqa: PTH110 - see above


def is_writable(folder: Path) -> bool:
    """Whether this user may make files in a folder."""
    return os.access(folder, os.W_OK | os.X_OK)


def matching(folder: Path, pattern: str) -> list[Path]:
    """Return the visible matches of a pattern below a folder, sorted; hidden files never match."""
    return [folder / name for name in sorted(glob(pattern, root_dir=folder))]  # noqa: PTH207 - see above


def is_nowhere(program: str, path: str | None) -> bool:
    """Whether no folder of a ``PATH`` (by default ours) has a program that was given by name.

    The system says "permission denied" for that, too, once one of the folders is closed to this user.
    """
    return os.sep not in program and shutil.which(program, mode=os.F_OK, path=path) is None
