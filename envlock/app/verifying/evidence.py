"""Evidence for a group on a target: where its reports lie, and for which surroundings it counts."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from envlock.app.project import Project
from envlock.edges.digests import digests
from envlock.edges.report_files import KeptReports, read_report
from envlock.edges.visible import is_writable
from envlock.lifecycle.surroundings import systems_now
from envlock.model.errors import RequestError, SurroundingsError
from envlock.model.locked.lock import Lock
from envlock.model.project.target import Target
from envlock.model.proving.report import Report
from envlock.model.proving.surroundings import Surroundings


def report_path(lock: Path) -> Path:
    """Return where the report of a lock lies: beside it."""
    return lock.with_name(lock.name.removesuffix(".toml") + ".report.json")


def need_place_for_report(path: Path) -> None:
    """Refuse, before minutes of verifying, to begin what could not be kept.

    Raises:
        SurroundingsError: ``not-writable``.
    """
    if not is_writable(path.parent):
        raise SurroundingsError(
            "not-writable",
            "the report could not be written beside the lock",
            where=str(path),
            why=f"you may not write to {path.parent}",
            hint="ask the project's owner to verify; --ranks-only tries the ranks and writes no report",
        )


def readable_report(path: Path) -> Report | None:
    """Return the report from before; ``None`` where there is none, or one of another form."""
    try:
        return read_report(path)
    except (RequestError, SurroundingsError):
        return None


def kept_reports(project: Project, group: str) -> KeptReports:
    """Return the last reports of a group on the chosen target."""
    return KeptReports(project.store.reports(project.options.target, group))


def surroundings_now(project: Project, lock: Lock, target: Target, libraries: Iterable[str]) -> Surroundings:
    """Return the surroundings on which evidence for a lock depends, as this host has them now.

    Args:
        project: the project.
        lock: the lock.
        target: the target as it is today.
        libraries: paths of MPI libraries outside of the environment.
    """
    name = os.uname()
    return Surroundings(
        host=name.nodename,
        kernel=name.release,
        systems=systems_now(lock, target, project.knowledge),
        libraries=digests(sorted(set(libraries))),
    )
