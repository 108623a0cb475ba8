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
    _protect(str(folder))


def _protect(folder: str) -> None:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                _protect(entry.path)
                continue
            mode = entry.stat(follow_symlinks=False).st_mode
            if mode & _WRITE and stat.S_ISREG(mode):
                os.chmod(entry.path, stat.S_IMODE(mode) & ~_WRITE)  # noqa: PTH101 - paths are texts here
    os.chmod(folder, stat.S_IMODE(os.lstat(folder).st_mode) & ~_WRITE)  # noqa: PTH101


def unprotect(folder: Path) -> None:
    """Let the owner change folders again; files stay as they are, for they are replaced, not written to.

    What is not ours, or not there, is left: who goes on to change it is told then.
    """
    for place, _, _ in os.walk(folder):
        with contextlib.suppress(OSError):
            os.chmod(place, stat.S_IMODE(os.lstat(place).st_mode) | stat.S_IWUSR)  # noqa: PTH101
