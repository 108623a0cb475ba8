"""``rollback`` and ``gc``: go back to the environment before, and remove those that nobody uses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from envlock.app.making.environment import kept_lock
from envlock.app.making.keys import environment_key, is_of_lock
from envlock.app.project import Project, need_open_store
from envlock.edges.clock import today
from envlock.edges.disk_usage import Usage, usage
from envlock.edges.files import read_bytes, write_bytes
from envlock.edges.lock_files import lock_path, locked_targets, read_lock
from envlock.edges.store.leftovers import Leftover, leftovers, remove
from envlock.edges.store.projects import groups_before
from envlock.edges.store.protection import who_alone_may_remove
from envlock.edges.store.store import Store
from envlock.lifecycle.freeze import holds, refuse_if_frozen
from envlock.model.errors import RefusedError, RequestError
from envlock.model.frozen import dataclass
from envlock.model.published.holding import Holding


@dataclass(frozen=True, slots=True, kw_only=True)
class RolledBack:
    """A group that is back where it was before.

    Attributes:
        group: the group's name.
        prefix: its current environment.
        left: the environment that was current until now; another rollback goes there.
        lock: its lock, which is that of the environment.
        restored: whether the lock had to be restored.
        unmade: whether the lock that was there belongs to no environment, so that none has kept it.
    """

    group: str
    prefix: Path
    left: Path | None
    lock: Path
    restored: bool
    unmade: bool


def rollback(project: Project, group: str) -> RolledBack:
    """Make the environment before a group's current one current again, with its lock.

    The lock comes first: after a kill in between, a rollback or ``envlock solve`` finishes the way back.

    Raises:
        RequestError: there is no such group or target.
        RefusedError: the group is frozen, or the environment before, or its lock, is no longer there.
        SurroundingsError: the store is not the user's to write to, or the disk is full.
    """
    refuse_if_frozen(project.manifest.group(group), today())
    need_open_store(project)
    store, target, path = project.store, project.options.target, project.lock_path(group)
    left = store.current(target, group)
    before = store.previous(target, group) or _halfway(project, group)
    if before is None:
        project.need_known_target()
        raise RefusedError(
            "no-previous",
            f"the store has no previous environment of {group!r}",
            where=str(store.root),
            why="it has had only one, or envlock gc removed the other",
            hint=f"restore the lock from version control, then: envlock solve {project.named(group)}",
        )
    kept = kept_lock(project, before, group)
    content = read_bytes(kept.path)
    restored = not path.is_file() or read_bytes(path) != content
    unmade = restored and path.is_file() and not _is_kept(path, left)
    if restored:
        write_bytes(path, content)
    prefix = store.switch(target, group, before.name)
    return RolledBack(group=group, prefix=prefix, left=left, lock=path, restored=restored, unmade=unmade)


def _is_kept(path: Path, prefix: Path | None) -> bool:
    """Whether the environment was made from a lock, and so keeps a copy of it."""
    try:
        return prefix is not None and is_of_lock(prefix.name, read_lock(path))
    except RequestError:
        return False  # git left both sides of a merge in it, say


def _halfway(project: Project, group: str) -> Path | None:
    """Return where a killed rollback was going that had restored the lock and moved the link ``previous``."""
    path, current = project.lock_path(group), project.store.current(project.options.target, group)
    if current is None or not path.is_file():
        return None
    found = project.store.environment(environment_key(read_lock(path), project.folder))
    return None if found == current else found


@dataclass(frozen=True, slots=True, kw_only=True)
class Garbage:
    """Something in the store that no group uses.

    Attributes:
        kind: ``environment``, ``build``, ``log``, ``verification``, ``temporary`` or ``bytecode``.
        key: an environment's or a build's name in the store; empty for others, which are counted together.
        count: how many there are.
        complete: whether it was ever finished; an environment or build that was not may be in the making.
        size: the total length of its files, in bytes.
        inodes: how many files, folders and links it has.
        removed: whether it is gone now.
        owner: the user who alone can remove it, where that is somebody else.
        rollbacks: the groups that ``envlock rollback`` would take back to it.
    """

    kind: str
    key: str
    count: int
    complete: bool
    size: int
    inodes: int
    removed: bool = False
    owner: str = ""
    rollbacks: tuple[str, ...] = ()


def collect_garbage(project: Project, *, dry_run: bool, without: Holding | None) -> tuple[Garbage, ...]:
    """Remove environments that are neither current nor a frozen group's, and what killed work left behind.

    Current environments of every project that shares the store stay, as does what another process is making.
    Built wheels stay: they are small, and took long. What only its owner can remove stays, too.

    Args:
        project: the project whose store it is.
        dry_run: whether to tell only.
        without: a project that shares the store and is not counted, because it is to be forgotten.

    Raises:
        RequestError: the lock of a frozen group cannot be read, so that nobody knows what must stay.
        SurroundingsError: the store is not the user's to write to, or the disk failed.
    """
    if not dry_run:
        need_open_store(project)
    store = project.store
    kept = store.in_use(without=without) | frozenset(promised(project))
    unused = [key for key in store.environments() if key not in kept]
    before = groups_before(store.root)
    found = [_environment(store, key, before.get(key, ()), dry_run=dry_run) for key in unused]
    found += [_build(store, key, dry_run=dry_run) for key in store.wheels.builds()]
    for kind, leaves in groupby(leftovers(store), key=lambda leftover: leftover.kind):
        found.append(_together(kind, list(leaves), dry_run=dry_run))
    return tuple(found)


def _environment(store: Store, key: str, rollbacks: tuple[str, ...], *, dry_run: bool) -> Garbage:
    complete, prefix = store.environment(key) is not None, store.root / "environments" / key
    found = _measured("environment", key, [usage(prefix)], complete=complete)
    owner = who_alone_may_remove(prefix)
    return replace(found, removed=not dry_run and store.remove(key), owner=owner, rollbacks=rollbacks)


def _build(store: Store, key: str, *, dry_run: bool) -> Garbage:
    found = _measured("build", key, [usage(store.root / "building" / key)], complete=False)
    return replace(found, removed=not dry_run and store.wheels.remove_build(key))


def _together(kind: str, leaves: Sequence[Leftover], *, dry_run: bool) -> Garbage:
    taken = [(usage(leaf.path), not dry_run and remove(leaf)) for leaf in leaves]
    gone = any(removed for _, removed in taken)
    return replace(
        _measured(kind, "", [used for used, removed in taken if removed or not gone]), removed=gone
    )


def _measured(kind: str, key: str, taken: Sequence[Usage], *, complete: bool = True) -> Garbage:
    return Garbage(
        kind=kind,
        key=key,
        count=len(taken),
        complete=complete,
        size=sum(used.size for used in taken),
        inodes=sum(used.inodes for used in taken),
    )


def promised(project: Project) -> Iterator[str]:
    """Yield the keys of the environments of frozen groups' locks, on every target."""
    day = today()
    for group in project.manifest.groups.values():
        if holds(group.frozen, day):
            yield from environments_of(project, group.name)


def environments_of(project: Project, group: str) -> Iterator[str]:
    """Yield the keys of the environments of a group's locks, on every target.

    Raises:
        RequestError: one of the locks cannot be read.
    """
    for target in locked_targets(project.folder, group):
        yield environment_key(read_lock(lock_path(project.folder, target, group)), project.folder)
