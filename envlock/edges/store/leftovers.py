"""What killed or finished work left in a store, and nobody needs."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from envlock.edges.environments.bytecode import unused_bytecode
from envlock.edges.files import write_error
from envlock.edges.store.protection import unprotect
from envlock.edges.store.store import Store
from envlock.model.frozen import dataclass

_LOG_S = 7 * 24 * 3600.0
"""For this long, somebody may want to read why a build failed."""
_VERIFICATION_S = 24 * 3600.0
"""No verification takes this long: an older folder was left by a killed one."""
_TEMPORARY_S = 3600.0
"""Nothing that is made aside and then moved to its place takes this long."""


@dataclass(frozen=True, slots=True)
class Leftover:
    """A file or folder that nobody needs.

    Its kind is ``log``, ``verification``, ``temporary`` or ``bytecode``.
    """

    kind: str
    path: Path


def leftovers(store: Store) -> Iterator[Leftover]:
    """Yield everything that is left over in a store, except builds, for which only their claims can tell."""
    root = store.root.absolute()
    known = {path.name for kind in ("environments", "wheels") for path in (root / kind).glob("[!.]*")}
    # A job's script is removed once it has ended, unless whoever waited for that was killed.
    for path in sorted((*(root / "logs").glob("*.log"), *(root / "logs").glob("*.sh"))):
        if path.stem not in known and _age(path) > _LOG_S:
            yield Leftover("log", path)
    for path in sorted((*root.glob("verify-*"), *root.glob("compare-*"))):
        if _age(path) > _VERIFICATION_S:
            yield Leftover("verification", path)
    links = [f"{kind}/{level}" for kind in ("current", "previous") for level in ("*/.*", "*/*/.*")]
    for pattern in ("building/.*", "environments/.*", "wheels/.*", "holders/.*", *links):
        for path in sorted(root.glob(pattern)):
            inside = path.parent.is_symlink()  # a group's link: what is below belongs to its environment
            if not inside and _age(path) > _TEMPORARY_S:
                yield Leftover("temporary", path)
    yield from (Leftover("bytecode", path) for path in unused_bytecode(store.bytecode))


def _age(path: Path) -> float:
    """Return the seconds since a path was written; what has vanished counts as new."""
    try:
        return time.time() - path.lstat().st_mtime
    except FileNotFoundError:
        return 0.0


def remove(leftover: Leftover) -> bool:
    """Remove a leftover, unless it is gone already; return whether it is gone: it may be another user's.

    Raises:
        SurroundingsError: ``not-writable``.
    """
    try:
        if leftover.path.is_dir() and not leftover.path.is_symlink():
            unprotect(leftover.path)
            shutil.rmtree(leftover.path)
        else:
            leftover.path.unlink(missing_ok=True)
    except FileNotFoundError:
        return True
    except PermissionError:
        return False
    except OSError as error:
        raise write_error(leftover.path, error) from error
    return True
