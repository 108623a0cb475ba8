"""A group that has its lock, however it came by it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path

from envlock.app.making.markers import build_logs
from envlock.app.project import Project
from envlock.edges.environments.interpreter_links import closed_to_others
from envlock.edges.lock_files import LockFile
from envlock.lifecycle.agreement import Agreement
from envlock.model.frozen import dataclass
from envlock.model.project.target import Target


@dataclass(frozen=True, slots=True, kw_only=True)
class Locked:
    """A group with its lock, and its environment where one was made.

    Attributes:
        file: the lock on disk.
        changed: whether this run changed it.
        environment: the environment's prefix; ``None`` where only the lock was wanted.
        target: what it was solved for.
        agreement: how far it agrees with the group that it prefers to be the same as, if there is one.
        remarks: what people should know of a lock that was just solved.
        absent: component that was to be upgraded and is not there -> what people should know of that.
        build_logs: distribution built for the environment -> what its build printed.
    """

    file: LockFile
    changed: bool
    environment: Path | None
    target: Target
    agreement: Agreement | None = None
    remarks: tuple[str, ...] = ()
    absent: Mapping[str, str] = field(default_factory=dict)
    build_logs: Mapping[str, Path] = field(default_factory=dict)


def with_environment(locked: Locked, project: Project, prefix: Path) -> Locked:
    """Return a locked group with the environment that was made of its lock.

    In a store that the site names others mean to use it as well, and are told of if they cannot.
    """
    closed, remarks = closed_to_others(prefix) if project.manifest.store else None, locked.remarks
    if closed is not None:
        python = (prefix / "bin/python").resolve()
        remark = (
            f"other users cannot start the environment: {closed} is closed to them, and its interpreter is "
            f"{python}; choose one that all may start, by its version or by [[targets.NAME.interpreter]]"
        )
        remarks = (*remarks, remark)
    return replace(locked, environment=prefix, remarks=remarks, build_logs=build_logs(project, prefix))
