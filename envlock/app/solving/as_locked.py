"""A group's environment from the lock that it has, where a solve would only say the same again."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from envlock.app.lock_state import mismatches_of
from envlock.app.making.create import create_from_lock
from envlock.app.making.keys import is_of_lock
from envlock.app.making.wheels import FileSource
from envlock.app.project import Project
from envlock.app.solving.inputs import digest_of_inputs
from envlock.app.solving.layering import held_by_layers, lock_to_agree_with, moved_away
from envlock.app.solving.locked import Locked, with_environment
from envlock.app.solving.same_answer import has_same_answer
from envlock.app.solving.waivers import waived
from envlock.edges.clock import today
from envlock.edges.index.kept_files import NOT_AT_HAND
from envlock.edges.lock_files import LockFile, read_own_lock
from envlock.lifecycle.agreement import agreement
from envlock.lifecycle.freeze import holds
from envlock.model.component import PYTHON
from envlock.model.errors import SurroundingsError
from envlock.model.locked.lock import Lock
from envlock.model.progress import Progress
from envlock.model.project.group import Group
from envlock.model.project.target import Target
from envlock.solve.interpreters import open_interpreters


def create_as_locked(
    project: Project,
    name: str,
    at_hand: FileSource,
    indexes: Callable[[], AbstractContextManager[FileSource]],
    progress: Progress,
) -> Locked | None:
    """Create the environment of a lock that still answers the request; ``None`` where a solve is needed.

    The lock of a frozen group never changes, whatever the request says now, but its environment may be made
    again, or become current where another project, or an earlier version of the manifest, made it.

    Args:
        project: the project.
        name: the group.
        at_hand: files that need not be fetched; it raises ``NOT_AT_HAND`` for others.
        indexes: opens the indexes; called where a file has to be fetched.
        progress: shows how far it is.

    Raises:
        RequestError: there is no such group, or its lock cannot be read or was edited by hand.
        SurroundingsError: the network, the disk or a build failed; the old environment stays usable.
    """
    group = project.manifest.group(name)
    path = project.lock_path(name)
    if not path.is_file():
        return None
    file, day = read_own_lock(path), today()
    frozen = holds(group.frozen, day)
    has = project.store.current(project.options.target, name)
    if frozen and has is not None and is_of_lock(has.name, file) and project.store.has_usable(has.name):
        return None
    if not frozen and not _same_question(project, group, file):
        return None
    with progress.task("looking at the target"):
        target = project.target()
    if not frozen and not _still_answers(project, group, file.lock, target, day):
        return None
    prefix = _create(project, file, target, at_hand, indexes, progress)
    like = lock_to_agree_with(project, group)
    agreed = agreement(file.lock, like) if like else None
    locked = Locked(file=file, changed=False, environment=None, target=target, agreement=agreed)
    return with_environment(locked, project, prefix)


def _same_question(project: Project, group: Group, file: LockFile) -> bool:
    """Whether the request is the one that the lock was solved for; a path may hold another file by now."""
    return (
        file.lock.inputs == digest_of_inputs(group, project.manifest)
        and not any(pin.file.direct for pin in file.lock.distributions)
        and has_same_answer(project, file)
    )


def _still_answers(project: Project, group: Group, lock: Lock, target: Target, day: dt.date) -> bool:
    """Whether nothing on the target, in the extended group's lock or among the waivers speaks against it."""
    held = held_by_layers(project, group)
    if any(moved_away(lock, held)):
        return False
    # What the group leaves open stays as locked, as long as that is there and the newest of its series.
    left_open = {interpreter.version for interpreter in open_interpreters(group.python, target)}
    if PYTHON not in {part.component for part in held} and lock.python not in left_open:
        return False
    claims = waived(project, group.name, target, day)
    return not mismatches_of(lock, target, project.knowledge, claims.facts)


def _create(
    project: Project,
    file: LockFile,
    target: Target,
    at_hand: FileSource,
    indexes: Callable[[], AbstractContextManager[FileSource]],
    progress: Progress,
) -> Path:
    try:
        return create_from_lock(project, file, target, at_hand, progress)
    except SurroundingsError as error:
        if error.code != NOT_AT_HAND:
            raise
    with indexes() as source:
        return create_from_lock(project, file, target, source, progress)
