"""Whether the evidence that waivers claim counts: kept reports, and the node as it is today."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from envlock.app.project import Project
from envlock.app.verifying.evidence import kept_reports, report_path, surroundings_now
from envlock.edges.digests import digests
from envlock.edges.lock_files import LockFile, read_lock
from envlock.edges.report_files import read_report, report_bytes
from envlock.judging.judge import judge
from envlock.lifecycle.waivers import lacks
from envlock.model.errors import RequestError, SurroundingsError
from envlock.model.locked.lock import Lock
from envlock.model.locked.pinned import assignment_on
from envlock.model.project.manifest import VERIFIED, Waiver
from envlock.model.project.target import Target
from envlock.model.proving.report import Report

_KEPT_TO = "what was verified does not go against the fact, so it shows nothing of what the waiver is for"


def lacking_evidence(
    project: Project, group: str, target: Target, claiming: Iterable[Waiver]
) -> Mapping[str, str]:
    """Map the facts of those waivers whose evidence does not count to why it does not.

    Args:
        project: the project, with the target chosen.
        group: the group that would go against the facts.
        target: the target as it is today.
        claiming: waivers that claim evidence.
    """
    return {waiver.fact: why for waiver in claiming if (why := _lacks(project, group, target, waiver))}


def _lacks(project: Project, group: str, target: Target, waiver: Waiver) -> str:
    path = project.lock_path(group)
    if not path.is_file():
        return f"the group has no lock on {project.options.target}, so nothing was verified"
    try:
        file = read_lock(path)
        report = _claimed(project, group, file, waiver.evidence)
    except (RequestError, SurroundingsError) as error:
        return str(error)
    if report is None and waiver.evidence != VERIFIED:
        return f"no report of this group and target has the sha256 {waiver.evidence[:12]}..."
    libraries = report.surroundings.libraries if report else ()
    lacking = lacks(file.sha256, report, surroundings_now(project, file.lock, target, libraries))
    return lacking or ("" if _goes_against(project, file.lock, target, waiver.fact) else _KEPT_TO)


def _goes_against(project: Project, lock: Lock, target: Target, fact: str) -> bool:
    judged = judge(assignment_on(lock, target, project.knowledge), project.knowledge)
    return any(finding.fact == fact for finding in judged.findings)


def _claimed(project: Project, group: str, file: LockFile, evidence: str) -> Report | None:
    beside = report_path(file.path)
    if evidence == VERIFIED:
        return read_report(beside)
    if digests([str(beside)])[str(beside)] == evidence:
        return read_report(beside)
    kept = kept_reports(project, group).newest_first()
    return next(
        (report for report in kept if hashlib.sha256(report_bytes(report)).hexdigest() == evidence), None
    )
