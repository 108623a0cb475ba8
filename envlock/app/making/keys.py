"""The names of environments in the store: readable, and bound to all that they are made from."""

from __future__ import annotations

import hashlib
from pathlib import Path

from envlock.edges.index.named_places import editable_folder
from envlock.edges.index.source_folders import folder_digest
from envlock.edges.lock_files import LockFile

_DIGITS = 20
_SOURCES_DIGITS = 8


def environment_key(file: LockFile, folder: Path) -> str:
    """Return the name of a lock's environment.

    It is bound to the lock's exact content and, since a lock has no hash of editable folders, to where these
    lie and what their ``pyproject.toml`` and the like state: equal locks of two projects install links to the
    folders of each, and a command that one of them declares is a file of the environment.

    Args:
        file: the lock.
        folder: the project's folder, in which its paths begin.
    """
    editable = [pin.file for pin in file.lock.distributions if pin.file.editable]
    if not editable:
        return _of_lock(file)
    digests = "\n".join(folder_digest(editable_folder(source, folder)) for source in editable)
    return f"{_of_lock(file)}-{hashlib.sha256(digests.encode()).hexdigest()[:_SOURCES_DIGITS]}"


def is_of_lock(key: str, file: LockFile) -> bool:
    """Whether an environment was made from a lock, whatever its editable folders stated at that time."""
    start = _of_lock(file)
    return key == start or (
        key.startswith(f"{start}-") and any(pin.file.editable for pin in file.lock.distributions)
    )


def _of_lock(file: LockFile) -> str:
    return f"{file.lock.target}-{file.lock.group}-{file.sha256[:_DIGITS]}"
