"""Whether something is at a path that others made: what this user may not look into is taken as not there.

A ``PATH`` or a variable of a shared machine names folders of others, too. Up to Python 3.13 pathlib's own
questions raise there, where those of ``os.path`` and ``glob`` answer no.
"""

from __future__ import annotations

import os
import shutil
import stat
from glob import glob
from pathlib import Path


def is_file(path: Path) -> bool:
    """Whether a file is there, as far as this user sees."""
    return os.path.isfile(path)  # noqa: PTH113 - see above


def is_folder(path: Path) -> bool:
    """Whether a folder is there, as far as this user sees."""
    return os.path.isdir(path)  # noqa: PTH112 - see above


def folder_identity(path: Path) -> tuple[int, int] | None:
    """Device and inode of a folder, which all its names share; ``None`` where this user sees none."""
    try:
        found = os.stat(path)  # noqa: PTH116 - see above
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISDIR(found.st_mode) else None


def is_there(path: Path) -> bool:
    """Whether anything is there, as far as this user sees."""
    return os.path.exists(path)  # noqa: PTH110 - see above


def matching(folder: Path, pattern: str) -> list[Path]:
    """What below a folder matches a pattern, as far as this user sees, in order; hidden files never do."""
    return [folder / name for name in sorted(glob(pattern, root_dir=folder))]  # noqa: PTH207 - see above


def is_nowhere(program: str, path: str | None) -> bool:
    """Whether no folder of a ``PATH`` (ours where none is given) has a program that was asked for by name.

    The system says "permission denied" of it, too, once one of the folders is closed to this user.
    """
    return os.sep not in program and shutil.which(program, mode=os.F_OK, path=path) is None
