"""Which facts a group may go against today: those waived, where the evidence that they claim counts."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterable, Mapping

from envlock.app.project import Project
from envlock.app.verifying.evidence import kept_reports, report_path, surroundings_now
from envlock.edges.digests import digests
from envlock.edges.lock_files import LockFile, read_lock
from envlock.edges.report_files import read_report, report_bytes
from envlock.lifecycle.waivers import lacks
from envlock.model.errors import RefusedError, RequestError
from envlock.model.frozen import dataclass
from envlock.model.project.manifest import VERIFIED, Waiver
from envlock.model.project.target import Target
from envlock.model.proving.report import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Waived:
    """What the waivers of a manifest are worth for one group on one target.

    Attributes:
        facts: the facts that the group may go against.
        unbacked: fact -> why the evidence that its waiver claims does not count.
    """

    facts: frozenset[str]
    unbacked: Mapping[str, str]


def waived(project: Project, group: str, target: Target, today: dt.date) -> Waived:
    """Evaluate every waiver that has not expired.

    Args:
        project: the project, with the target chosen.
        group: the group that would go against facts.
        target: the target as it is today.
        today: the day for which to ask.
    """
    current = [waiver for waiver in project.manifest.waivers if waiver.expires >= today]
    unbacked = {
        waiver.fact: why
        for waiver in current
        if waiver.evidence and (why := _lacks(project, group, target, waiver))
    }
    facts = frozenset(waiver.fact for waiver in current if waiver.fact not in unbacked)
    return Waived(facts=facts, unbacked=unbacked)


def refuse_unbacked(project: Project, group: str, unbacked: Mapping[str, str], met: Iterable[str]) -> None:
    """Refuse an answer if a fact shaped or refused it whose waiver claims evidence that does not count.

    To solve around the fact silently would move what the waiver was written to keep.

    Args:
        project: the project.
        group: the group.
        unbacked: fact -> why the evidence does not count.
        met: the facts that took part.

    Raises:
        RefusedError: ``waiver-unbacked``.
    """
    for fact in met:
        if fact in unbacked:
            raise RefusedError(
                "waiver-unbacked",
                f"the waiver of {fact!r} claims evidence that does not count for {group!r}",
                where=f"{project.manifest.file}, waivers",
                why=unbacked[fact],
                hint=f"envlock verify {project.named(group)}; or leave out the waiver's evidence until then",
            )


def _lacks(project: Project, group: str, target: Target, waiver: Waiver) -> str:
    path = project.lock_path(group)
    if not path.is_file():
        return f"the group has no lock on {project.options.target}, so nothing was verified"
    try:
        file = read_lock(path)
        report = _claimed(project, group, file, waiver.evidence)
    except RequestError as error:
        return str(error)
    if report is None and waiver.evidence != VERIFIED:
        return f"no report of this group and target has the sha256 {waiver.evidence[:12]}..."
    libraries = report.surroundings.libraries if report else ()
    return lacks(file.sha256, report, surroundings_now(project, file.lock, target, libraries))


def _claimed(project: Project, group: str, file: LockFile, evidence: str) -> Report | None:
    beside = report_path(file.path)
    if evidence == VERIFIED:
        return read_report(beside)
    if digests([str(beside)])[str(beside)] == evidence:
        return read_report(beside)
    kept = kept_reports(project, group).newest_first()
    return next((one for one in kept if hashlib.sha256(report_bytes(one)).hexdigest() == evidence), None)
