"""Who may write to a store: the group, if it is a group's store; and nobody to what is complete."""

from __future__ import annotations

import contextlib
import os
import pwd
import stat
from pathlib import Path

from envlock.edges.visible import is_folder, is_writable

_WRITE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
_READ = (stat.S_IRUSR, stat.S_IXUSR)
_TO_GROUP = 3
"""How many bits to the right of the owner's rights the group's are."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


def share_with_group(store: Path) -> None:
    """Give the group the owner's rights to whatever is created from now on, if a store belongs to a group.

    It does if the folder is writable for its group and passes that group on (``chmod g+ws``). There, a umask
    of 022 or 077 would make a store that nobody else in the group can use.
    """
    there = next((folder for folder in (store, *store.parents) if is_folder(folder)), None)
    mode = there.stat().st_mode if there else 0
    if mode & stat.S_ISGID and mode & stat.S_IWGRP:
        os.umask(os.umask(0) & ~stat.S_IRWXG)


def protect(folder: Path) -> None:
    """Make every file and folder read-only; links are not followed.

    This keeps installers and programs from changing an environment by mistake. Root can still write.

    Where the folder passes its group on, every file becomes that group's to read: hard links into an
    installer's cache have the group and the rights that the file got when it was unpacked there, maybe under
    a umask that shuts the group out.

    Raises:
        OSError: a file belongs to somebody else.
    """
    found = folder.stat()
    _protect(os.open(folder, _FOLDER), found.st_gid if found.st_mode & stat.S_ISGID else None)


def _protect(folder: int, group: int | None) -> None:
    """Protect an open folder, and close it; looking up names relative to it is faster than full paths."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    _protect(os.open(entry.name, _FOLDER, dir_fd=folder), group)
                    continue
                found = entry.stat(follow_symlinks=False)
                if not stat.S_ISREG(found.st_mode):
                    continue
                if group is not None and found.st_gid != group:
                    with contextlib.suppress(PermissionError):  # of a group that we are not in
                        os.chown(entry.name, -1, group, dir_fd=folder)
                wanted = _protected(found.st_mode, shared=group is not None)
                if wanted != stat.S_IMODE(found.st_mode):
                    os.chmod(entry.name, wanted, dir_fd=folder)
        mode = os.fstat(folder).st_mode
        os.fchmod(folder, _protected(mode, shared=group is not None))
    finally:
        os.close(folder)


def _protected(mode: int, *, shared: bool) -> int:
    """Return the rights without those to write; in a shared folder the group may read like the owner."""
    mode = stat.S_IMODE(mode) & ~_WRITE
    return mode | sum((mode & bit) >> _TO_GROUP for bit in _READ) if shared else mode


def who_alone_may_remove(folder: Path) -> str:
    """Return the name of the user to whom a folder belongs that this one cannot empty; empty if we can.

    What is protected only its owner can open again, in a group's store too.
    """
    try:
        owner = folder.stat().st_uid
    except OSError:
        return ""
    if owner == os.geteuid() or is_writable(folder):
        return ""
    try:
        return pwd.getpwuid(owner).pw_name
    except KeyError:
        return str(owner)


def unprotect(folder: Path, *, files_too: bool = False) -> None:
    """Let the owner change folders again.

    What is not ours, or missing, is skipped: the change itself will then report an error.

    Args:
        folder: the folder, with all below it.
        files_too: whether to include files without another name. What uv installs from wheels is replaced
            rather than written to, and may be shared with its cache; files that it generates it rewrites.
    """
    for place, _, names in os.walk(folder):
        for path in (place, *(os.path.join(place, name) for name in names if files_too)):  # noqa: PTH118
            with contextlib.suppress(OSError):
                found = os.lstat(path)
                if path == place or (stat.S_ISREG(found.st_mode) and found.st_nlink == 1):
                    os.chmod(path, stat.S_IMODE(found.st_mode) | stat.S_IWUSR)  # noqa: PTH101
