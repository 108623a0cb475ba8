"""Folders that nobody is meant to change any more: read-only for all, until they are mended or removed."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

_WRITE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


def protect(folder: Path) -> None:
    """Take the right to write from every file and folder; links are not followed.

    It keeps installers and programs from changing an environment by mistake. Root may write all the same.

    Raises:
        OSError: a file belongs to somebody else.
    """
    for place, _, names in os.walk(folder, topdown=False):
        for name in names:
            path = f"{place}/{name}"
            mode = os.lstat(path).st_mode
            if stat.S_ISREG(mode) and mode & _WRITE:
                os.chmod(path, stat.S_IMODE(mode) & ~_WRITE)  # noqa: PTH101 - paths are texts here
        os.chmod(place, stat.S_IMODE(os.lstat(place).st_mode) & ~_WRITE)  # noqa: PTH101


def unprotect(folder: Path) -> None:
    """Let the owner change folders again; files stay as they are, for they are replaced, not written to.

    What is not ours, or not there, is left: who goes on to change it is told then.
    """
    for place, _, _ in os.walk(folder):
        with contextlib.suppress(OSError):
            os.chmod(place, stat.S_IMODE(os.lstat(place).st_mode) | stat.S_IWUSR)  # noqa: PTH101
