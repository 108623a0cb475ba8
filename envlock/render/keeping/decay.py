"""Views of how frozen groups' promises stand: ``envlock freeze --check``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from rich.console import Console
from rich.text import Text

from envlock.app.keeping.decay import Health
from envlock.lifecycle.decay import (
    ArchiveDamaged,
    ArchiveUnreadable,
    Cause,
    FileElsewhere,
    FileGone,
    FileReplaced,
    FileYanked,
)
from envlock.model.locked.archive import ArchiveFlaw
from envlock.render.standing.reasons import reason_text

_MOST = 5


def decay_text(found: Sequence[Health], console: Console) -> None:
    """Print, for each group, what decayed and the nearest way out."""
    if not found:
        console.print("no group is frozen here")
    for health in found:
        console.print(Text.assemble((health.group, "bold"), f", frozen until {health.freeze.until}"))
        archive = f"archive {health.archive}" if health.archive else "no archive"
        asked = (
            f"the indexes were not asked: {health.unasked}" if health.unasked else "the indexes were asked"
        )
        console.print(Text(f"  {archive}; {asked}"), soft_wrap=True)
        for decay in health.decayed:
            style = "red" if decay.hurts else "yellow"
            text = f"  {_text(decay.cause)}"
            console.print(Text.assemble("  ", (decay.cause.code, style), text), soft_wrap=True)
            console.print(Text.assemble(("    do  ", "green"), decay.way), soft_wrap=True)
        if not health.hurt:
            console.print("  all that it needs is here")


def _text(cause: Cause) -> str:
    if isinstance(cause, ArchiveUnreadable):
        return f"{cause.path}: {cause.message}"
    if isinstance(cause, ArchiveDamaged):
        more = f", and {len(cause.flaws) - _MOST} more" if len(cause.flaws) > _MOST else ""
        return f"{cause.path}: {'; '.join(map(_flaw, cause.flaws[:_MOST]))}{more}"
    if isinstance(cause, FileGone | FileYanked):
        gone = "was withdrawn" if isinstance(cause, FileYanked) else "is no longer on the indexes"
        return f"{cause.filename} {gone}: {cause.why}"
    if isinstance(cause, FileElsewhere):
        fate = "which only an archive keeps as it was" if cause.there else "which is gone"
        return f"{cause.filename} comes from {cause.place}, {fate}"
    if isinstance(cause, FileReplaced):
        return f"{cause.filename} has sha256 {cause.found} on the indexes, locked was {cause.locked}"
    return reason_text(cause)


def _flaw(flaw: ArchiveFlaw) -> str:
    if not flaw.found:
        return f"{flaw.path} is missing"
    if not flaw.expected:
        return f"{flaw.path} is not one of its files"
    return f"{flaw.path} has sha256 {flaw.found}, expected {flaw.expected}"


def decay_document(found: Sequence[Health]) -> dict[str, object]:
    """Return the same as a document for programs."""
    return {
        "schema": "envlock/freeze/1",
        "decayed": any(health.hurt for health in found),
        "groups": [
            {
                "group": health.group,
                "until": health.freeze.until.isoformat(),
                "lock_sha256": health.lock.sha256 if health.lock else None,
                "archive": str(health.archive) if health.archive else None,
                "indexes_asked": not health.unasked,
                "decayed": [
                    {
                        "code": decay.cause.code,
                        "hurts": decay.hurts,
                        **asdict(decay.cause),
                        "text": _text(decay.cause),
                        "way_out": decay.way,
                    }
                    for decay in health.decayed
                ],
            }
            for health in found
        ],
    }
