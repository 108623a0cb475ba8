"""Freezes: whether one holds, what it prevents, and which new ones it admits."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

from envlock.model.errors import RefusedError, RequestError
from envlock.model.project.group import Freeze, Group

LOST_LOCK = "restore the lock from version control or an archive"
"""What to do about a frozen group without its lock."""


def holds(freeze: Freeze | None, today: dt.date) -> bool:
    """Whether a freeze holds: through its last day, and no longer."""
    return freeze is not None and today <= freeze.until


def refuse_if_frozen(group: Group, today: dt.date, *, lost: str = "") -> None:
    """Refuse to change a group while a freeze of it holds.

    Args:
        group: the group.
        today: the day to check.
        lost: where its lock should be, if it is missing.

    Raises:
        RefusedError: ``frozen``, with the last day and the reason; ``frozen-unlocked`` if the lock is lost.
    """
    freeze = group.frozen
    if freeze is None or not holds(freeze, today):
        return
    message, back = f"the group {group.name!r} is frozen until {freeze.until}", "or take the promise back: "
    back += f'envlock thaw {group.name} --reason "..."'
    if lost:
        hint = f"{LOST_LOCK}, {back}"
        raise RefusedError(
            "frozen-unlocked", f"{message}, and has no lock here", where=lost, why=freeze.reason, hint=hint
        )
    raise RefusedError(
        "frozen",
        message,
        where=f"groups.{group.name}.frozen",
        why=freeze.reason,
        hint=f"wait until {freeze.until} has passed, {back}",
    )


def not_frozen(group: str, frozen: Iterable[str], manifest: str) -> RequestError:
    """Return the error that a group is not frozen, with those that are, ready to raise."""
    return RequestError(
        "not-frozen",
        f"the group {group!r} is not frozen",
        where=manifest,
        hint=f"frozen groups: {', '.join(frozen) or 'none'}",
    )


def wanted_freeze(group: Group, until: dt.date | None, reason: str | None, today: dt.date) -> Freeze:
    """Return the requested freeze; what is not given, and the archives, come from the one that holds.

    Raises:
        RequestError: ``until-missing`` if no day is given and no freeze holds.
    """
    held = group.frozen if holds(group.frozen, today) else None
    if until is None and held is None:
        raise RequestError(
            "until-missing",
            "a freeze needs its last day",
            where="--until",
            hint=f'envlock freeze {group.name} --until 2027-06-30 --reason "..."',
        )
    text = reason if reason is not None else held.reason if held else ""
    day = until if until is not None else held.until if held else today
    return Freeze(until=day, reason=" ".join(text.split()), archives=held.archives if held else {})


def admit_freeze(group: Group, wanted: Freeze, today: dt.date) -> None:
    """Admit a new freeze or a longer one; a freeze cannot shorten the one that holds.

    Raises:
        RequestError: ``freeze-past`` or ``reason-missing``.
        RefusedError: ``frozen-longer``.
    """
    if not wanted.reason.strip():
        raise RequestError(
            "reason-missing",
            "a freeze needs a reason",
            where="--reason",
            hint='say who relies on it: --reason "..."',
        )
    if wanted.until < today:
        raise RequestError(
            "freeze-past",
            f"{wanted.until} has passed",
            where="--until",
            why=f"today is {today}",
            hint="give the last day that the group may not move on",
        )
    promised = group.frozen
    if promised is not None and holds(promised, today) and wanted.until < promised.until:
        raise RefusedError(
            "frozen-longer",
            f"the group {group.name!r} is already frozen until {promised.until}",
            where=f"groups.{group.name}.frozen",
            why=promised.reason,
            hint=f'take that promise back first: envlock thaw {group.name} --reason "..."',
        )
