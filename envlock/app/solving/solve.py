"""``solve``: from a group's wishes to a lock, and from the lock to an environment."""

from __future__ import annotations

from collections.abc import Collection

from envlock.app.making.create import create_from_lock
from envlock.app.nodes import need_node
from envlock.app.project import Project, need_open_store, need_place_on_path
from envlock.app.solving.lock import lock_group
from envlock.app.solving.locked import Locked, with_environment
from envlock.app.solving.refused import Refused
from envlock.edges.clock import today
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.lifecycle.freeze import refuse_if_frozen
from envlock.model.progress import Progress


def solve(
    project: Project,
    name: str,
    catalogue: IndexCatalogue,
    progress: Progress,
    *,
    upgrade: Collection[str] = (),
) -> Locked | Refused:
    """Lock a group and create its environment; what need not move does not, what is not the group's stays.

    Raises:
        RefusedError: the group is frozen, or asks for another Python than its owners have.
        RequestError: the group, a target or an interpreter is missing, the manifest is invalid, or this
            machine is no node.
        SurroundingsError: the store is not the user's to write to; or network, disk or a build failed, and
            the old lock and environment stay usable.
    """
    group = project.manifest.group(name)
    project.need_known_target()
    path = project.lock_path(name)
    refuse_if_frozen(group, today(), lost="" if path.is_file() else str(path))
    need_node(f"an environment of {name!r} on this machine", project.manifest.targets)
    need_open_store(project)
    need_place_on_path(project)
    locked = lock_group(project, name, catalogue, progress, upgrade=upgrade)
    if isinstance(locked, Refused):
        return locked
    prefix = create_from_lock(project, locked.file, locked.target, catalogue, progress)
    return with_environment(locked, project, prefix)
