"""Who may write to what a store holds: its group, where it is one's; and nobody to what is complete."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from envlock.edges.looking import is_folder

_WRITE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


def share_with_group(store: Path) -> None:
    """Let the group do what its owner may with what is made from now on, where a store is the group's.

    That is where the folder is the group's to write to and hands its group on (``chmod g+ws``). Whoever works
    there with a umask of 022 or 077 would make a store that nobody else of the group can use.
    """
    there = next((folder for folder in (store, *store.parents) if is_folder(folder)), None)
    mode = there.stat().st_mode if there else 0
    if mode & stat.S_ISGID and mode & stat.S_IWGRP:
        os.umask(os.umask(0) & ~stat.S_IRWXG)


def protect(folder: Path) -> None:
    """Take the right to write from every file and folder; links are not followed.

    It keeps installers and programs from changing an environment by mistake. Root may write all the same.

    Raises:
        OSError: a file belongs to somebody else.
    """
    _protect(os.open(folder, _FOLDER))


def _protect(folder: int) -> None:
    """Protect an open folder, and close it; names within it are looked up more quickly than whole paths."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    _protect(os.open(entry.name, _FOLDER, dir_fd=folder))
                    continue
                mode = entry.stat(follow_symlinks=False).st_mode
                if mode & _WRITE and stat.S_ISREG(mode):
                    os.chmod(entry.name, stat.S_IMODE(mode) & ~_WRITE, dir_fd=folder)
        os.fchmod(folder, stat.S_IMODE(os.fstat(folder).st_mode) & ~_WRITE)
    finally:
        os.close(folder)


def unprotect(folder: Path, *, files_too: bool = False) -> None:
    """Let the owner change folders again.

    What is not ours, or not there, is left: who goes on to change it is told then.

    Args:
        folder: the folder, and all below it.
        files_too: also the files that have no other name. What uv lays down of wheels is replaced and not
            written to, and may be its cache's as well; what it makes of its own it writes to again.
    """
    for place, _, names in os.walk(folder):
        for path in (place, *(os.path.join(place, name) for name in names if files_too)):  # noqa: PTH118
            with contextlib.suppress(OSError):
                found = os.lstat(path)
                if path == place or (stat.S_ISREG(found.st_mode) and found.st_nlink == 1):
                    os.chmod(path, stat.S_IMODE(found.st_mode) | stat.S_IWUSR)  # noqa: PTH101
