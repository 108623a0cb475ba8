"""The places of a store, each for one key of one kind, and exclusive work at one of them."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from uuid import uuid4

from envlock.edges.claims import claim
from envlock.edges.files import write_error
from envlock.edges.looking import is_folder, is_writable
from envlock.edges.store.protection import unprotect
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


def alone(root: Path, place: Path, *, wait_s: float | None = None) -> AbstractContextManager[None]:
    """Make this the only process that works at a place.

    Raises:
        SurroundingsError: as ``claim`` does.
    """
    file = place_of(root, "locks", f"{place.parent.name}-{place.name}")
    return claim(file, place) if wait_s is None else claim(file, place, wait_s=wait_s)


def unless_busy(root: Path, place: Path, work: Callable[[], bool]) -> bool:
    """Do some work at a place, or return false if somebody else is working there.

    Raises:
        SurroundingsError: ``not-writable``.
    """
    try:
        with alone(root, place, wait_s=0.0):
            return work()
    except OSError as error:
        raise write_error(place, error) from error
    except SurroundingsError as error:
        if error.code != "store-busy":
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
