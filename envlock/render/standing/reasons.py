"""Typed reasons as sentences for people and documents for programs."""

from __future__ import annotations

from dataclasses import asdict

from envlock.lifecycle import doubts, drift
from envlock.lifecycle.drift import Reason
from envlock.lifecycle.freeze import LOST_LOCK
from envlock.model.command_line import on_target

_TEXTS = {
    drift.WishesChanged.code: "the manifest no longer asks for what the lock answers",
    drift.LockEdited.code: "the lock was edited by hand",
    drift.LockLost.code: "it is frozen, and has lost its lock: there is no {path}",
    drift.LayerMoved.code: "the group {group!r}, which it extends, has {component} {has}, the lock {locked}",
    drift.FactRefuses.code: "the fact {fact} refuses it: {message}",
    drift.WaiverUnbacked.code: "the evidence for the waiver of {fact} does not count: {why}",
    drift.WaiverExpired.code: "the waiver of {fact} expired on {expires}",
    drift.InterpreterGone.code: "Python {version} is not there (found: {found})",
    drift.OfferGone.code: "{component} {version} is not offered (offered: {offered})",
    drift.OfferMoved.code: "{component} {version} moved from {locked} to {offered}",
    drift.OfferChanged.code: "{component} {version} now comes with other values of {variables}",
    drift.NodeChanged.code: "the node has {component} {found}, the lock {locked}",
    drift.WheelUnusable.code: "the target cannot use {filename}",
    doubts.EnvironmentMissing.code: "there is no environment of this lock",
    doubts.EnvironmentOfAnotherLock.code: "the current environment, {key}, was made from another lock",
    doubts.SourcesChanged.code: "an editable folder no longer states what it did when it was installed",
    doubts.InterpreterLost.code: "its interpreter is gone, or closed to you: {path} cannot be seen from here",
    doubts.EvidenceMissing.code: "it was never verified",
    doubts.EvidenceOfAnotherLock.code: "the last verification was of another lock",
    doubts.EvidenceFailed.code: "the last verification failed: {checks}",
    doubts.EvidenceExpired.code: "{what} was {verified} when it was verified, now it is {found}",
    drift.TargetGone.code: "the manifest has no target {target!r} any more",
    drift.Unreadable.code: "{message}",
}
_VERIFIED_AGAIN = (
    doubts.EvidenceMissing,
    doubts.EvidenceOfAnotherLock,
    doubts.EvidenceFailed,
    doubts.EvidenceExpired,
    drift.WaiverUnbacked,
)
_MADE_AGAIN = (
    doubts.EnvironmentMissing,
    doubts.EnvironmentOfAnotherLock,
    doubts.InterpreterLost,
    doubts.SourcesChanged,
)
"""What ``envlock solve`` fixes for a frozen group too: it makes the lock's environment again."""
_BRING_BACK = {
    drift.LockEdited.code: "restore it from version control, or delete it",
    drift.LockLost.code: LOST_LOCK,
    drift.WaiverExpired.code: "renew it in envlock.toml, or remove it",
}


def reason_text(reason: Reason) -> str:
    """Say what is wrong, in one sentence without a full stop."""
    fields = {name: _plain(value) for name, value in asdict(reason).items()}
    return _TEXTS[reason.code].format(**fields)


def _plain(value: object) -> str:
    return ", ".join(map(str, value)) or "none" if isinstance(value, tuple) else str(value)


def way_out(reason: Reason, group: str, target: str, *, frozen: bool, from_site: bool = False) -> str:
    """Say what to do about it.

    Args:
        reason: why a group is stale.
        group: the group.
        target: the target.
        frozen: whether the group is frozen.
        from_site: whether its lock rests on the site's distributions, so that only the lock can be made.
    """
    named = on_target(group, target)
    if isinstance(reason, drift.Unreadable):
        return reason.hint.replace("GROUP", named)
    if isinstance(reason, drift.LockEdited | drift.LockLost | drift.WaiverExpired):
        only = f"{LOST_LOCK}: no other is made while the group is frozen"
        again = f"{_BRING_BACK[reason.code]} and then: envlock solve {named}"
        return only if frozen and isinstance(reason, drift.LockEdited) else again
    if isinstance(reason, drift.TargetGone):
        return f"write [targets.{target}] again, or delete its locks"
    if isinstance(reason, _VERIFIED_AGAIN) or (frozen and isinstance(reason, drift.NodeChanged)):
        return f"envlock verify {named}"
    if frozen and not isinstance(reason, _MADE_AGAIN):
        return f'it is frozen: bring back what it was locked with, or envlock thaw {group} --reason "..."'
    return f"envlock solve {named} --lock-only" if from_site else f"envlock solve {named}"


def reason_document(reason: Reason) -> dict[str, object]:
    """Return the same as a document for programs."""
    return {"code": reason.code, **asdict(reason), "text": reason_text(reason)}
