"""Which facts a group may go against today: those waived, where the evidence that they claim counts."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping

from envlock.app.project import Project
from envlock.model.errors import RefusedError
from envlock.model.frozen import dataclass
from envlock.model.project.target import Target


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
    claiming = [waiver for waiver in current if waiver.evidence]
    unbacked: Mapping[str, str] = {}
    if claiming:
        from envlock.app.solving.claimed_evidence import lacking_evidence  # noqa: PLC0415 - few waivers claim any

        unbacked = lacking_evidence(project, group, target, claiming)
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
