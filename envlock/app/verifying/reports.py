"""``report``: look at a verification again, with what is known around it today."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from envlock.app.project import Project
from envlock.app.verifying.evidence import kept_reports, report_path, surroundings_now
from envlock.edges.lock_files import LockFile, read_lock
from envlock.edges.report_files import read_report
from envlock.lifecycle.doubts import Doubt, doubts_of_evidence
from envlock.model.component import PYTHON
from envlock.model.errors import RequestError
from envlock.model.frozen import dataclass
from envlock.model.locked.lock import Lock
from envlock.model.locked.pins import YOU
from envlock.model.proving.report import Report

_MOST_HISTORY = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedVersion:
    """One component of a lock, for people to read.

    Attributes:
        component: its name.
        version: its version.
        origin: where it comes from.
    """

    component: str
    version: str
    origin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A report and what is known around it.

    Attributes:
        report: the report.
        path: where it lies.
        doubts: why it does not count today; none where it does, or where that is not known.
        history: the kept runs of the group on the target, newest first.
        versions: what the lock consists of, where it is the one that was verified.
    """

    report: Report
    path: Path
    doubts: tuple[Doubt, ...] = ()
    history: tuple[Report, ...] = ()
    versions: tuple[LockedVersion, ...] = ()


def report_of_group(project: Project, group: str) -> Shown:
    """Return the last report of a group on the chosen target.

    Raises:
        RequestError: the group has no lock or was never verified, or the report cannot be read.
    """
    project.manifest.group(group)
    lock = project.lock_path(group)
    report = read_report(report_path(lock)) if lock.is_file() else None
    if report is None:
        raise RequestError(
            "no-report",
            f"the group {group!r} was never verified on {project.options.target}",
            where=str(report_path(lock)),
            hint=f"envlock verify {project.named(group)}",
        )
    file = read_lock(lock)
    now = surroundings_now(project, file.lock, project.target(), report.surroundings.libraries)
    return Shown(
        report=report,
        path=report_path(lock),
        doubts=tuple(doubts_of_evidence(file.sha256, report, now)),
        history=tuple(islice(kept_reports(project, group).newest_first(), _MOST_HISTORY)),
        versions=_versions(file, report),
    )


def report_of_file(path: Path) -> Shown:
    """Return a report from a file, wherever it came from; whether it still counts is not examined.

    Raises:
        RequestError: there is none, or it cannot be read.
    """
    report = read_report(path)
    if report is None:
        hint = "envlock verify GROUP writes one beside the lock: pylock.GROUP.report.json"
        raise RequestError("file-missing", "there is no such report", where=str(path), hint=hint)
    return Shown(report=report, path=path)


def _versions(file: LockFile, report: Report) -> tuple[LockedVersion, ...]:
    return tuple(_components(file.lock)) if file.sha256 == report.lock_sha256 else ()


def _components(lock: Lock) -> Iterator[LockedVersion]:
    yield LockedVersion(component=PYTHON, version=lock.python, origin="the target")
    for system in lock.systems:
        yield LockedVersion(
            component=system.component, version=system.version, origin=f"the {system.origin.value}"
        )
    for pin in sorted(lock.distributions, key=lambda pin: (YOU not in pin.asked_by, pin.name)):
        asked = ", asked for" if YOU in pin.asked_by else ""
        yield LockedVersion(
            component=pin.name,
            version=pin.version,
            origin=("wheel" if pin.file.is_wheel else "built") + asked,
        )
