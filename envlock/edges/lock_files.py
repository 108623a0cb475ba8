"""Locks on disk: ``locks/<target>/pylock.<group>.toml``."""

from __future__ import annotations

import hashlib
from pathlib import Path

import tomli_w

from envlock.edges.files import parse_toml, read_bytes, write_bytes
from envlock.model.errors import RequestError
from envlock.model.frozen import dataclass
from envlock.model.lock import MEND, Lock, decode_lock, encode_lock


@dataclass(frozen=True, slots=True, kw_only=True)
class LockFile:
    """A lock as it lies on disk.

    Attributes:
        path: the file.
        sha256: hash of its bytes; evidence is bound to it.
        lock: its content.
    """

    path: Path
    sha256: str
    lock: Lock


def lock_path(project: Path, target: str, group: str) -> Path:
    """Where the lock of a group on a target lies."""
    return project / "locks" / target / f"pylock.{group}.toml"


def lock_bytes(lock: Lock) -> bytes:
    """The exact content of a lock's file; equal locks give equal bytes."""
    from packaging.pylock import Pylock  # noqa: PLC0415 - only who reads or writes a lock waits for it

    document = encode_lock(lock)
    Pylock.from_dict(document)  # what does not validate as PEP 751 is never written
    return tomli_w.dumps(document).encode()


def write_lock(path: Path, lock: Lock) -> LockFile:
    """Write a lock in one step.

    Raises:
        SurroundingsError: the disk is full or not writable; the old lock is as it was.
    """
    content = lock_bytes(lock)
    write_bytes(path, content)
    return LockFile(path=path, sha256=hashlib.sha256(content).hexdigest(), lock=lock)


def read_lock(path: Path) -> LockFile:
    """Read a lock.

    Raises:
        RequestError: there is none, it is cut off, or it is not a lock of this envlock.
    """
    from packaging.pylock import Pylock, PylockValidationError  # noqa: PLC0415 - as above

    content = read_bytes(path)
    document = parse_toml(content, path, hint=MEND)
    try:
        Pylock.from_dict(document)
    except PylockValidationError as error:
        raise RequestError(
            "invalid-lock",
            "the lock is not valid",
            where=str(path),
            why=str(error),
            hint=MEND,
        ) from error
    lock = decode_lock(document, str(path))
    return LockFile(path=path, sha256=hashlib.sha256(content).hexdigest(), lock=lock)
