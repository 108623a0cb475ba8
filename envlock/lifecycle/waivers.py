"""Whether a waiver's claimed evidence exists: a verification of this lock, on this target, that counts."""

from __future__ import annotations

from envlock.lifecycle.doubts import (
    Doubt,
    EvidenceExpired,
    EvidenceFailed,
    EvidenceOfAnotherLock,
    doubts_of_evidence,
)
from envlock.model.proving.report import Report
from envlock.model.proving.surroundings import Surroundings


def lacks(lock_sha256: str, report: Report | None, now: Surroundings | None) -> str:
    """Say why a report does not back a waiver, for people; empty if it does.

    Args:
        lock_sha256: the digest of the group's lock on the target.
        report: the report that the waiver claims.
        now: today's surroundings.
    """
    return "; ".join(_doubt_text(doubt) for doubt in doubts_of_evidence(lock_sha256, report, now))


def _doubt_text(doubt: Doubt) -> str:
    match doubt:
        case EvidenceOfAnotherLock():
            return "it is of another lock"
        case EvidenceFailed(checks=checks):
            return f"it failed: {', '.join(checks)}"
        case EvidenceExpired(what=what, verified=verified, found=found):
            return f"it expired: {what} was {verified}, now it is {found}"
        case _:
            return "there is none"
