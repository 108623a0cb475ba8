"""``solve``: from a group's wishes to a lock, and from the lock to an environment."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

from envlock.app.answer import Refused
from envlock.app.create import create_from_lock, environment_key
from envlock.app.lock import Locked, lock_group
from envlock.app.project import Project
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.edges.lock_files import LockFile, read_lock
from envlock.lifecycle.freeze import holds
from envlock.model.progress import Progress


def solve(
    project: Project,
    name: str,
    catalogue: IndexCatalogue,
    progress: Progress,
    *,
    upgrade: bool = False,
    today: dt.date | None = None,
) -> Locked | Refused:
    """Lock a group and create its environment; what need not move does not, what is not the group's stays.

    Raises:
        RefusedError: the group is frozen, or asks for another Python than its owners have.
        RequestError: the group, a target or an interpreter is not there, or the manifest is wrong.
        SurroundingsError: the network, the disk or a build failed; the old lock and environment stay usable.
    """
    group = project.manifest.group(name)
    path = project.lock_path(name)
    before = read_lock(path) if path.is_file() else None
    now = today or dt.datetime.now(dt.UTC).date()
    # A frozen group's lock never changes, but its environment may be made again from it.
    if (
        before is not None
        and holds(group.frozen, now)
        and not upgrade
        and not _has_environment(project, before)
    ):
        with progress.task("looking at the target"):
            target = project.target()
        restored = create_from_lock(project, before, target, catalogue, progress)
        return Locked(file=before, changed=False, environment=restored, target=target)
    locked = lock_group(project, name, catalogue, progress, upgrade=upgrade, today=now)
    if isinstance(locked, Refused):
        return locked
    prefix = create_from_lock(project, locked.file, locked.target, catalogue, progress)
    return replace(locked, environment=prefix)


def _has_environment(project: Project, file: LockFile) -> bool:
    return project.store.environment(environment_key(file)) is not None
