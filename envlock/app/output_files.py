"""Files that a command writes where people tell it to: exports, and views of reports."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from envlock.edges.files import write_error, write_named
from envlock.edges.visible import is_file, is_folder, is_there, is_writable


def need_place_for_output(path: Path) -> None:
    """Refuse, before minutes of work, a file that could not be written after them.

    Raises:
        SurroundingsError: ``not-writable``.
    """
    place = path.resolve()
    folder = next(parent for parent in place.parents if is_there(parent))
    number = 0
    if is_folder(place):
        number = errno.EISDIR
    elif is_there(place) and not is_file(place):  # a pipe or a device, which is written into
        return
    elif not is_folder(folder):
        number = errno.ENOTDIR
    elif not is_writable(folder):
        number = errno.EACCES
    if number:
        raise write_error(path, OSError(number, os.strerror(number)))


def write_output(path: Path, text: str) -> None:
    """Write a file in one step.

    Raises:
        SurroundingsError: the disk is full or not writable; the old file stays as it was.
    """
    write_named(path, text)
