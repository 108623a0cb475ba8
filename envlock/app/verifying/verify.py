"""``verify``: the probe inside the group's environment, in one process and on ranks, and its report."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from envlock import __version__
from envlock.app.making.environment import Current, current, inventory_of
from envlock.app.project import Project
from envlock.app.verifying.evidence import (
    kept_reports,
    need_place_for_report,
    readable_report,
    report_path,
    surroundings_now,
)
from envlock.app.verifying.launching import Placement, nodes_held, starting
from envlock.app.verifying.probing import Probing, working_folder
from envlock.app.verifying.reference import references
from envlock.edges.report_files import write_report
from envlock.judging.judge import judge
from envlock.lifecycle.evidence.checks import assemble
from envlock.lifecycle.evidence.news import News, news
from envlock.lifecycle.evidence.regression import regression_check
from envlock.lifecycle.plan import plan_verification
from envlock.lifecycle.surroundings import mpi_libraries
from envlock.model.errors import RefusedError, RequestError, SurroundingsError
from envlock.model.frozen import dataclass
from envlock.model.locked.pinned import assignment_on
from envlock.model.progress import Progress
from envlock.model.proving.probing import OneProcess, Plan
from envlock.model.proving.rank_result import RankResult
from envlock.model.proving.report import Report
from envlock.model.proving.surroundings import Surroundings

_PHASES = 8
"""How many phases may each take as long as one may, before the whole run counts as hanging."""

REFERENCE_S = 30.0
"""Seconds that a comparison with a known benchmark may take: about ten launches of each on one node."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """A verification.

    Attributes:
        report: what it says.
        path: where its report lies; ``None`` for ranks alone, which are no evidence and not kept.
        prefix: that of the environment that was verified.
        news: what is new since the one before; ``None`` where there was none.
        warned: where something failed, what the knowledge base warns of in what is there: a possible cause.
    """

    report: Report
    path: Path | None
    prefix: Path
    news: News | None = None
    warned: tuple[str, ...] = ()


def verify(
    project: Project,
    group: str,
    progress: Progress,
    *,
    place: Placement,
    max_bytes: int | None = None,
    phase_s: float = 120.0,
    reference_s: float = REFERENCE_S,
    fail_if_slower: bool = False,
    accept_slower: bool = False,
    ranks_only: bool = False,
) -> Verified:
    """Verify a group's environment and write the report beside the lock.

    Ranks run on the nodes asked for, and one process is tried on the first of these, or here if this is one.

    A check that crashes or hangs is a result; only what keeps the verification itself from running is an
    error.

    Args:
        project: the project.
        group: the group.
        progress: shows how far it is.
        place: where ranks run, and how many.
        max_bytes: the largest message of an allreduce; else 256 MiB, or what time allows.
        reference_s: seconds that launches of a known benchmark, where the environment has one, and of the
            probe beside it may take; 0 for none.
        phase_s: seconds that a rank may stay in one phase before it counts as hanging.
        fail_if_slower: whether becoming slower than the last good run fails instead of only warning.
        accept_slower: whether this run is to be the measure of later ones even if it is slower.
        ranks_only: leave out what one process shows; the report is not kept, and the project may be another
            user's.

    Raises:
        RequestError: the group has no environment, or one of another lock; or ranks cannot be started there.
        SurroundingsError: the disk is full, the project's folder cannot be written to, or the launcher is not
            here.
    """
    found = up_to_date(project, group)
    if not ranks_only:
        need_place_for_report(report_path(found.file.path))
    start = starting(project, found, place)
    ranks = start.job.ranks
    inventory = inventory_of(project, found.prefix)
    plan = plan_verification(found.file.lock, project.knowledge, inventory, ranks=ranks, max_bytes=max_bytes)
    plan = limited(replace(plan, nodes=start.job.fewest_places), phase_s)
    if ranks_only and not plan.back_ends:
        raise RefusedError(
            "nothing-to-try",
            f"{group!r} has no library that communicates, so there are no ranks to try",
            where=str(found.file.path),
            hint=f"envlock verify {project.named(group)}, which checks the rest",
        )
    if plan.back_ends or not start.here:
        start.need_program()
    started = dt.datetime.now(dt.UTC)
    with (
        working_folder(project, found, "verify-", elsewhere=Path.cwd() if ranks_only else None) as folder,
        nodes_held(project, start, place.queue, progress) as held,
    ):
        probing = Probing(found=found, plan=plan, start=held, folder=folder)
        probing.prepare()
        one_process = OneProcess(document={"checks": []})
        if not ranks_only:
            with progress.task("importing everything into one process"):
                one_process = probing.one_process()
        with progress.task(f"communicating among {ranks} ranks"):
            supervision = probing.ranks() if plan.back_ends else None
        results = tuple(probing.results()) if supervision else ()
        with progress.task("measuring a known benchmark on the same ranks"):
            measured = references(probing, results, budget_s=reference_s)
        checks = assemble(
            one_process, results, supervision, plan, measured, project.knowledge.running.signatures
        )
    report = Report(
        lock=found.file.path.name,
        lock_sha256=found.file.sha256,
        group=group,
        target=project.options.target,
        started=started,
        seconds=round((dt.datetime.now(dt.UTC) - started).total_seconds(), 1),
        envlock=__version__,
        knowledge=project.knowledge.digest,
        host=_host(),
        checks=checks,
        ranks=results,
        ranks_asked=ranks if plan.back_ends else 0,
        surroundings=_surroundings(project, found, results),
    )
    verified = Verified(report=report, path=None, prefix=found.prefix)
    if not ranks_only:
        verified = _kept(project, found, report, fail=fail_if_slower, accept=accept_slower)
    return verified if verified.report.passed else replace(verified, warned=_warnings(project, found))


def _warnings(project: Project, found: Current) -> tuple[str, ...]:
    assignment = assignment_on(found.file.lock, project.target(), project.knowledge)
    return tuple(finding.note for finding in judge(assignment, project.knowledge).warnings)


def _kept(project: Project, found: Current, report: Report, *, fail: bool, accept: bool) -> Verified:
    """Compare a report with those before it, then put it beside the lock and among those kept.

    What was measured of the same lock's communication stacks stays with it.
    """
    kept = kept_reports(project, report.group)
    slower = regression_check(report, kept.newest_first(), fail=fail, accept=accept)
    report = replace(report, checks=(*report.checks, slower))
    path = report_path(found.file.path)
    beside = readable_report(path)
    before = next(kept.newest_first(), None) or beside
    if beside and beside.lock_sha256 == report.lock_sha256:
        report = replace(report, comparison=beside.comparison)
    write_report(path, report)
    try:
        kept.add(report)
    except SurroundingsError as error:
        if error.code != "not-writable":  # the history is in a store that is closed to this user
            raise
    return Verified(
        report=report, path=path, prefix=found.prefix, news=news(before, report) if before else None
    )


def limited(plan: Plan, phase_s: float) -> Plan:
    """Return a plan whose ranks may stay this many seconds in one phase, and as much longer altogether."""
    deadlines = plan.deadlines
    longer = max(deadlines.ranks, _PHASES * phase_s)
    return replace(plan, deadlines=replace(deadlines, phase=phase_s, ranks=longer))


def up_to_date(project: Project, group: str) -> Current:
    """Return a group's environment, made from the lock as it lies on disk.

    Raises:
        RequestError: the group has no environment, or one of another lock.
    """
    found = current(project, group)
    if not found.matches:
        raise RequestError(
            "environment-stale",
            f"the environment of {group!r} was not made from the present lock",
            where=str(found.file.path),
            hint=f"envlock solve {project.named(group)}",
        )
    return found


def _surroundings(project: Project, found: Current, ranks: tuple[RankResult, ...]) -> Surroundings:
    libraries = (
        path
        for rank in ranks
        if isinstance(families := rank.libraries.get("families"), Mapping)
        for path in mpi_libraries(families, str(found.prefix))
    )
    return surroundings_now(project, found.file.lock, project.target(), libraries)


def _host() -> dict[str, object]:
    name = os.uname()
    return {"name": name.nodename, "kernel": name.release, "machine": name.machine}
