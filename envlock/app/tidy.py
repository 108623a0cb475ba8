"""``rollback`` and ``gc``: back to the environment before, and rid of those that nobody uses."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from envlock.app.create import environment_key, lock_copy
from envlock.app.project import Project
from envlock.edges.disk_usage import usage
from envlock.edges.files import read_bytes, write_bytes
from envlock.edges.lock_files import LockFile, lock_path, read_lock
from envlock.lifecycle.freeze import holds, refuse_if_frozen
from envlock.model.errors import RefusedError, RequestError


@dataclass(frozen=True, slots=True, kw_only=True)
class RolledBack:
    """A group that is where it was before.

    Attributes:
        group: the group's name.
        prefix: its current environment.
        left: the environment that was current until now; another rollback goes there.
        lock: its lock, which is that of the environment.
        restored: whether the lock had to be given back.
    """

    group: str
    prefix: Path
    left: Path | None
    lock: Path
    restored: bool


def rollback(project: Project, group: str, *, today: dt.date | None = None) -> RolledBack:
    """Make the environment before a group's current one, with its lock, again.

    The lock comes first: after a kill in between, ``envlock solve`` finishes the way back.

    Raises:
        RequestError: there is no such group.
        RefusedError: the group is frozen, or the environment before, or its lock, is no longer there.
        SurroundingsError: the disk is full or not writable.
    """
    refuse_if_frozen(project.manifest.group(group), today or _today())
    store, target = project.store, project.options.target
    left, before = store.current(target, group), store.previous(target, group)
    if before is None:
        raise RefusedError(
            "no-previous",
            f"the store has no environment before the current one of {group!r}",
            where=str(store.root),
            why="it has had only one, or envlock gc removed the other",
            hint=f"restore the lock from version control, then: envlock solve {group}",
        )
    kept = _kept_lock(before, group)
    path = project.lock_path(group)
    content = read_bytes(kept.path)
    restored = not path.is_file() or read_bytes(path) != content
    if restored:
        write_bytes(path, content)
    prefix = store.switch(target, group, before.name)
    return RolledBack(group=group, prefix=prefix, left=left, lock=path, restored=restored)


def _kept_lock(prefix: Path, group: str) -> LockFile:
    """The lock that an environment was made from, as it keeps it.

    Without it, the environment would run with the system components of another lock.
    """
    try:
        kept = read_lock(lock_copy(prefix, group))
    except RequestError as error:
        why = str(error)
    else:
        if environment_key(kept) == prefix.name:
            return kept
        why = f"the lock in it is another one, of {environment_key(kept)}"
    raise RefusedError(
        "lock-not-kept",
        f"the environment before of {group!r} does not have the lock that it was made from",
        where=str(prefix),
        why=why,
        hint=f"restore the lock from version control, then: envlock solve {group}",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Garbage:
    """An environment that no group uses.

    Attributes:
        key: its name in the store.
        complete: whether it was ever finished; one that is not may be in the making.
        size: the lengths of its files, in bytes.
        inodes: of how many files, folders and links it is made.
        removed: whether it is gone now.
    """

    key: str
    complete: bool
    size: int
    inodes: int
    removed: bool


def collect_garbage(project: Project, *, dry_run: bool, today: dt.date | None = None) -> tuple[Garbage, ...]:
    """Remove the environments that are nobody's current one and no frozen group's.

    Current ones of every project that shares the store stay. What another process is making stays, too.
    Built wheels stay: they are small, and took long.

    Raises:
        RequestError: the lock of a frozen group cannot be read, so that nobody knows what must stay.
        SurroundingsError: the store is not writable.
    """
    store = project.store
    kept = store.in_use() | frozenset(_frozen(project, today or _today()))
    found = []
    for key in store.environments():
        if key in kept:
            continue
        complete = store.environment(key) is not None
        taken = usage(store.root / "environments" / key)
        removed = not dry_run and store.remove(key)
        found.append(
            Garbage(key=key, complete=complete, size=taken.size, inodes=taken.inodes, removed=removed)
        )
    return tuple(found)


def _frozen(project: Project, today: dt.date) -> Iterator[str]:
    """The keys of what frozen groups' locks become, on every target."""
    for group in project.manifest.groups.values():
        if holds(group.frozen, today):
            for folder in (project.folder / "locks").glob("*"):
                path = lock_path(project.folder, folder.name, group.name)
                if path.is_file():
                    yield environment_key(read_lock(path))


def _today() -> dt.date:
    return dt.datetime.now(dt.UTC).date()
