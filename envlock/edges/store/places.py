"""The places of a store, each for one key of one kind, and exclusive work at one of them."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

from envlock.edges.claims import BUSY, claim
from envlock.edges.files import write_error
from envlock.edges.store.protection import unprotect
from envlock.edges.visible import is_folder, is_writable
from envlock.model.errors import SurroundingsError

_KINDS = ("environments", "locks", "logs", "current", "previous")
"""The folders of a store in which every environment has something."""


def place_of(root: Path, kind: str, key: str) -> Path:
    """Return where the thing of a kind and key lies, as a full path, which links and other nodes need.

    Raises:
        ValueError: the key would lead elsewhere.
    """
    if not key or key.startswith(".") or "/" in key:
        raise ValueError(key)
    return root.absolute() / kind / key


def closed_place(root: Path) -> Path | None:
    """Return the first folder that creating an environment would write to, and that is not writable."""
    for kind in _KINDS:
        place = root.absolute() / kind
        there = next(folder for folder in (place, *place.parents) if is_folder(folder))
        if not is_writable(there):
            return there
    return None


def ignore_wait() -> None:
    """Tell nobody that another process is waited for."""


@contextlib.contextmanager
def alone(root: Path, place: Path, *, on_wait: Callable[[], None] = ignore_wait) -> Iterator[None]:
    """Make this the only process that works at a place.

    Args:
        root: the store's folder.
        place: the place.
        on_wait: called once if another process is working there, which is then waited for.

    Raises:
        SurroundingsError: as ``claim`` does.
    """
    file = _claimed_by(root, place)
    with contextlib.ExitStack() as held:
        try:
            held.enter_context(claim(file, place, wait_s=0.0))
        except SurroundingsError as error:
            if error.code != BUSY:
                raise
            on_wait()
            held.enter_context(claim(file, place))
        yield


def _claimed_by(root: Path, place: Path) -> Path:
    return place_of(root, "locks", f"{place.parent.name}-{place.name}")


def unless_busy(root: Path, place: Path, work: Callable[[], bool]) -> bool:
    """Do some work at a place, or return false if somebody else is working there.

    Raises:
        SurroundingsError: ``not-writable``.
    """
    try:
        with claim(_claimed_by(root, place), place, wait_s=0.0):
            return work()
    except OSError as error:
        raise write_error(place, error) from error
    except SurroundingsError as error:
        if error.code != BUSY:
            raise
        return False


def discard_folder(folder: Path) -> None:
    """Remove what was left unfinished, or else put it aside; if that fails, making it again will report why.

    In a group's store a killed build may be another user's: an unpacked source has the rights that its author
    gave it, so that nobody else can empty it.
    """
    unprotect(folder)
    shutil.rmtree(folder, ignore_errors=True)
    with contextlib.suppress(OSError):  # mostly there is nothing left
        folder.rename(folder.with_name(f".{folder.name}.{uuid4().hex}"))


def pointed(link: Path) -> str:
    """Return the key of the environment that a link points to; empty for what is no link, or has vanished."""
    try:
        return link.readlink().name
    except OSError:
        return ""


def point(link: Path, prefix: Path) -> None:
    """Point a link to an environment, in one step.

    Raises:
        SurroundingsError: ``disk-full`` or ``not-writable``.
    """
    temporary = link.with_name(f".{link.name}.{uuid4().hex}")
    try:
        link.parent.mkdir(parents=True, exist_ok=True)
        temporary.symlink_to(os.path.relpath(prefix, link.parent))
        temporary.replace(link)
    except OSError as error:
        with contextlib.suppress(OSError):  # it may never have been made
            temporary.unlink()
        raise write_error(link, error) from error
