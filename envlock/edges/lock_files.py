"""Locks on disk: ``locks/<target>/pylock.<group>.toml``."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection
from pathlib import Path

import tomli_w

from envlock.edges.cache import Cache, default_root
from envlock.edges.decoded import code, packed, unpacked
from envlock.edges.files import parse_toml, read_bytes, write_bytes
from envlock.model.command_line import on_target
from envlock.model.errors import RequestError
from envlock.model.frozen import dataclass
from envlock.model.locked.lock import MEND, Lock, decode_lock, encode_lock

_KIND = "decoded-locks-1"
_INPUTS = re.compile(rb'\[tool\.envlock\]\n(?:[a-z][^\n]*\n)*?inputs = "[^"\n]*"\n')
"""Everything up to the hash of the inputs; the seal, a hash of all the rest, comes right after it."""
_NAME = re.compile(r"pylock\.([^.]+)\.toml")
_SEAL = re.compile(rb'seal = "([^"\n]*)"\n')


@dataclass(frozen=True, slots=True, kw_only=True)
class LockFile:
    """A lock as it lies on disk.

    Attributes:
        path: the file.
        sha256: the hash of its bytes, to which evidence is bound.
        lock: its content.
        edited: whether its seal shows that something other than envlock has changed it.
    """

    path: Path
    sha256: str
    lock: Lock
    edited: bool = False


def lock_path(project: Path, target: str, group: str) -> Path:
    """Return where the lock of a group on a target lies."""
    return project / "locks" / target / f"pylock.{group}.toml"


def locked_targets(project: Path, group: str = "*") -> list[str]:
    """Return the targets on which a group (by default any) has a lock, sorted by name."""
    found = (path for path in project.glob(f"locks/*/pylock.{group}.toml") if path.is_file())
    return sorted({path.parent.name for path in found})


def locks_of_no_group(project: Path, groups: Collection[str], target: str = "*") -> tuple[Path, ...]:
    """Return the locks whose group is none of these, as a group that was renamed leaves them behind."""
    found = sorted(project.glob(f"locks/{target}/pylock.*.toml"))
    return tuple(path for path in found if path.name[len("pylock.") : -len(".toml")] not in groups)


def lock_bytes(lock: Lock) -> bytes:
    """Return the exact content of a lock's file; equal locks give equal bytes.

    The tests check that every lock they write is valid under PEP 751; checking here would mean importing
    packaging's classes for it, which takes a twelfth of a small solve.
    """
    content = tomli_w.dumps(encode_lock(lock)).encode()
    seal = b'seal = "%s"\n' % hashlib.sha256(content).hexdigest().encode()
    inputs = _INPUTS.search(content)
    assert inputs is not None  # noqa: S101 - every lock has them
    return content[: inputs.end()] + seal + content[inputs.end() :]


def write_lock(path: Path, lock: Lock) -> LockFile:
    """Write a lock in one step.

    Raises:
        SurroundingsError: the disk is full or not writable; the old lock is unchanged.
    """
    content = lock_bytes(lock)
    write_bytes(path, content)
    return LockFile(path=path, sha256=hashlib.sha256(content).hexdigest(), lock=lock)


def read_lock(path: Path) -> LockFile:
    """Read a lock; the result for the same bytes and the same code is cached, because a site has hundreds.

    Raises:
        RequestError: there is none, it is truncated, or it is not a lock of this envlock.
    """
    content = read_bytes(path)
    sha256 = hashlib.sha256(content).hexdigest()
    cache, key = Cache(default_root()), f"{sha256} {code()}"
    kept = cache.read_as(_KIND, key, bytes)
    lock: Lock | None = None if kept is None else unpacked(kept)
    if lock is None:
        try:
            lock = _decoded(content, path)
        except RequestError as error:
            error.hint = _mend(
                path, error.hint if MEND in error.hint else MEND
            )  # nobody writes locks by hand
            raise
        cache.keep(_KIND, key, packed(lock))
    return LockFile(path=path, sha256=sha256, lock=lock, edited=_edited(content))


def _decoded(content: bytes, path: Path) -> Lock:
    """Decode a lock from the bytes of its file."""
    from packaging.pylock import Pylock, PylockValidationError  # noqa: PLC0415 - only decoding a lock needs it

    document = parse_toml(content, path, hint=MEND)
    if "lock-version" not in document and content.strip():
        raise RequestError(
            "invalid-lock",
            "the file is not a lock",
            where=str(path),
            why="it has no lock-version (PEP 751)",
            hint=f"name a lock, such as locks/local/pylock.GROUP.toml; if it is one, {MEND}",
        )
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
    return decode_lock(document, str(path))


def read_own_lock(path: Path) -> LockFile:
    """Read a lock that something will be made from, or that will be kept: it must be as envlock wrote it.

    Raises:
        RequestError: as ``read_lock``; ``lock-edited`` if it was changed by hand.
    """
    file = read_lock(path)
    if file.edited:
        raise RequestError(
            "lock-edited",
            "the lock was edited by hand",
            where=str(path),
            why="its content does not match its seal: nobody has solved what it says now",
            hint=_mend(path, f"{MEND}; wishes belong in the manifest"),
        )
    return file


def _mend(path: Path, hint: str) -> str:
    """Name the group and target in a hint, so that it can be copied, if the lock's place tells them."""
    named = _NAME.fullmatch(path.name) if path.parent.parent.name == "locks" else None
    return hint.replace("GROUP", on_target(named[1], path.parent.name)) if named else hint


def _edited(content: bytes) -> bool:
    """Whether there is a seal that belongs to other content; line endings are up to version control."""
    plain = content.replace(b"\r\n", b"\n")
    inputs = _INPUTS.search(plain)
    found = _SEAL.match(plain, inputs.end()) if inputs else None
    if found is None:
        return False
    without = plain[: found.start()] + plain[found.end() :]
    return hashlib.sha256(without).hexdigest().encode() != found[1]
