"""``status``: how every group stands on every target."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path

from envlock.app.lock_state import lost_lock, mismatches_of
from envlock.app.making.keys import environment_key, is_of_lock
from envlock.app.project import Project
from envlock.app.solving.inputs import digest_of_inputs
from envlock.app.solving.layering import held_by_layers, moved_away
from envlock.app.solving.waivers import waived
from envlock.app.verifying.evidence import report_path, surroundings_now
from envlock.edges.clock import today
from envlock.edges.disk_usage import NOTHING
from envlock.edges.environments.interpreter_links import lost_interpreter
from envlock.edges.lock_files import LockFile, locked_targets, locks_of_no_group, read_lock
from envlock.edges.report_files import read_report
from envlock.edges.store.environment_usage import environment_usage
from envlock.lifecycle.doubts import Doubt, InterpreterLost, SourcesChanged, doubts
from envlock.lifecycle.drift import (
    FactRefuses,
    InterpreterGone,
    LockEdited,
    LockLost,
    NodeChanged,
    Reason,
    TargetGone,
    Unreadable,
    WaiverExpired,
    WaiverUnbacked,
    WishesChanged,
)
from envlock.lifecycle.freeze import holds
from envlock.lifecycle.site_distributions import SiteDistributions, site_distributions
from envlock.model.command_line import LOCAL
from envlock.model.errors import RequestError, SurroundingsError
from envlock.model.frozen import dataclass
from envlock.model.project.group import Freeze, Group
from envlock.model.project.target import Target
from envlock.model.proving.report import Report
from envlock.model.proving.surroundings import Surroundings


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupStatus:
    """How one group stands on one target.

    Attributes:
        group: the group's name.
        target: the target's name.
        lock: its lock; ``None`` where there is none, or none that can be read.
        frozen: the promise that holds today.
        environment: the prefix of its current environment.
        matches: whether that environment was made from the lock as it is now.
        size: the total length of the environment's files, in bytes.
        inodes: how many files, folders and links it has.
        report: the last verification, if it is of the lock as it is now.
        brought: what of the lock is the site's, so that no environment of it can be made here.
        reasons: why it is stale; none where it is not, or was never locked.
    """

    group: str
    target: str
    lock: LockFile | None
    frozen: Freeze | None
    environment: Path | None
    matches: bool
    size: int
    inodes: int
    report: Report | None
    from_site: SiteDistributions | None
    reasons: tuple[Reason, ...]


def status(project: Project, *, only: str = "") -> tuple[GroupStatus, ...]:
    """Return how every group stands on every target that the manifest describes or that has locks.

    Args:
        project: the project.
        only: the one target to look at; empty for all.

    Raises:
        RequestError: a target is malformed, or there is none of the name to look at.
    """
    day = today()
    found = []
    for name in (only,) if only else _targets(project):
        there = project.on(name)
        gone = not only and name != LOCAL and name not in project.manifest.targets
        target = None if gone else there.node()
        found += [_standing(there, group, target, day) for group in project.manifest.groups.values()]
    return tuple(found)


def left_locks(project: Project, *, only: str = "") -> tuple[Path, ...]:
    """Return the locks that a group left which was renamed or deleted; of one target, or of all."""
    return locks_of_no_group(project.folder, project.manifest.groups, only or "*")


def _targets(project: Project) -> list[str]:
    """List this machine if it has locks or there is no other target, then the described and locked ones."""
    names = dict.fromkeys([*project.manifest.targets, *locked_targets(project.folder)])
    return [LOCAL] if not names else sorted(names, key=lambda name: name != LOCAL)


def _standing(project: Project, group: Group, target: Target | None, day: dt.date) -> GroupStatus:
    frozen = group.frozen if holds(group.frozen, day) else None
    prefix = project.store.current(project.options.target, group.name)
    path = project.lock_path(group.name)
    lock, report, from_site, reasons = None, None, None, list[Reason]()
    if path.is_file():
        try:
            lock = read_lock(path)
        except (RequestError, SurroundingsError) as error:
            reasons.append(Unreadable(file=str(path), message=str(error), hint=error.hint))
    elif lost_lock(project, group.name):
        reasons.append(LockLost(path=str(path)))
    if lock is not None:
        reasons += [LockEdited()] if lock.edited else []
        from_site = site_distributions(lock.lock, project.knowledge)
        reasons += _of_lock(project, group, lock, target, day, frozen=frozen is not None)
    if lock is not None and from_site is None:
        try:
            report = read_report(report_path(path))
            now = _surroundings(project, lock, target, report)
            found = tuple(_doubts(project, lock, prefix, report, now))
            if not found:  # verified on the node as it is now
                reasons = [reason for reason in reasons if not isinstance(reason, NodeChanged)]
            reasons += found
        except (RequestError, SurroundingsError) as error:
            again = f"envlock verify {project.named(group.name)}"
            reasons.append(Unreadable(file=str(report_path(path)), message=str(error), hint=again))
    lost = lost_interpreter(prefix) if prefix else None
    reasons += [InterpreterLost(path=str(lost))] if lost else []
    matches = lock is not None and prefix is not None and is_of_lock(prefix.name, lock)
    if matches and not lost and project.options.target not in project.manifest.targets:
        # It is there, and was not found: the module that puts it on PATH is not loaded.
        reasons = [reason for reason in reasons if not isinstance(reason, InterpreterGone)]
    taken = environment_usage(prefix) if prefix else NOTHING
    return GroupStatus(
        group=group.name,
        target=project.options.target,
        lock=lock,
        frozen=frozen,
        environment=prefix,
        matches=matches,
        size=taken.size,
        inodes=taken.inodes,
        report=report if lock and report and report.lock_sha256 == lock.sha256 else None,
        from_site=from_site,
        reasons=tuple(reasons),
    )


def _doubts(
    project: Project, lock: LockFile, prefix: Path | None, report: Report | None, now: Surroundings | None
) -> Iterator[Doubt]:
    key, current = environment_key(lock, project.folder), prefix.name if prefix else ""
    if current != key and is_of_lock(current, lock):
        yield SourcesChanged()
        key = current  # what it was verified with it still has
    yield from doubts(lock.sha256, key, current, report, now)


def _surroundings(
    project: Project, file: LockFile, target: Target | None, report: Report | None
) -> Surroundings | None:
    if target is None or report is None:
        return None
    return surroundings_now(project, file.lock, target, report.surroundings.libraries)


def _of_lock(
    project: Project, group: Group, file: LockFile, target: Target | None, day: dt.date, *, frozen: bool
) -> Iterator[Reason]:
    """Yield what speaks against the lock itself; a frozen group's answers the wishes of its freeze."""
    if not frozen and file.lock.inputs != digest_of_inputs(group, project.manifest):
        yield WishesChanged()
    if not frozen:
        try:
            yield from moved_away(file.lock, held_by_layers(project, group))
        except (
            RequestError,
            SurroundingsError,
        ) as error:  # the lock of the group that it extends cannot be read
            yield Unreadable(file=error.where, message=str(error), hint=error.hint)
    if target is None and file.lock.target != LOCAL:
        yield TargetGone(target=file.lock.target)
    if target is not None:
        claims = waived(project, group.name, target, day)
        for mismatch in mismatches_of(file.lock, target, project.knowledge, claims.facts):
            yield mismatch
            if isinstance(mismatch, FactRefuses) and mismatch.fact in claims.unbacked:
                yield WaiverUnbacked(fact=mismatch.fact, why=claims.unbacked[mismatch.fact])
            if isinstance(mismatch, FactRefuses) and (last := project.manifest.expired(mismatch.fact, day)):
                yield WaiverExpired(fact=mismatch.fact, expires=last.isoformat())
