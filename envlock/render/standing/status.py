"""Views of how groups stand: ``envlock status``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from envlock.app.status import GroupStatus
from envlock.lifecycle.doubts import EnvironmentMissing, EvidenceMissing
from envlock.lifecycle.drift import OfferGone, Reason, Unreadable
from envlock.model.node_sets import folded
from envlock.model.proving.report import Report
from envlock.model.published.holding import Holding
from envlock.render.standing.holdings import gone_text, holding_document
from envlock.render.standing.reasons import reason_document, reason_text, way_out
from envlock.render.terminal.sheets import Sheet
from envlock.render.terminal.sizes import size_text

_IN_LINES = frozenset({"locked", "frozen until", "verified", "on disk", "state"})
"""Columns that may wrap where a terminal is narrow, so that no name is cut off."""

_DAY = len("2027-06-30")
_TO_DO = {EnvironmentMissing: "not built", EvidenceMissing: "not verified"}
"""Reasons that alone make nothing stale: a step that comes after the lock was not taken yet."""
_STATES = ("stale", "not locked", *_TO_DO.values())
_STYLES = {"fine": "green", "stale": "red", "not locked": "dim"}


def status_text(
    found: Sequence[GroupStatus], sharers: Sequence[Holding], left: Sequence[Path], console: Console
) -> None:
    """Print a table of all groups, why the stale ones are stale, and what others and former groups left."""
    if not found:
        line = "there is no group yet: add [groups.NAME] with requires to envlock.toml"
        console.print(Text(line), soft_wrap=True)
        _left_text(left, console)
        gone_text(sharers, console)
        return
    table = Sheet()
    for heading in ("group", "target", "locked", "built", "frozen until", "verified", "on disk", "state"):
        day = heading == "frozen until" and any(status.frozen for status in found)
        least = _DAY if day else None
        table.add_column(heading, overflow="fold", no_wrap=heading not in _IN_LINES, min_width=least)
    for status in found:
        table.add_row(*_row(status))
    console.print(table)
    _reasons_text(found, console)
    for status in found:
        if status.from_site and not any(isinstance(reason, OfferGone) for reason in status.reasons):
            brought = ", ".join(status.from_site.distributions)
            line = f"  the site's  {brought}: no environment is made for it here"
            use = Text.assemble(("    do  ", "green"), status.from_site.use)
            console.print(
                Text.assemble((status.group, "bold"), f" on {status.target}"), Text(line), use, sep="\n"
            )
        for pin in status.lock.lock.distributions if status.lock else ():
            if pin.file.editable:
                lines = (
                    f"  editable  {pin.name} follows {pin.file.url}: no lock and no report speaks of its code"
                )
                console.print(
                    Text.assemble((status.group, "bold"), f" on {status.target}"), Text(lines), sep="\n"
                )
    _left_text(left, console)
    gone_text(sharers, console)
    counted = Counter(map(state_of, found))
    behind = [f"{counted[state]} of {len(found)} {state}" for state in _STATES if counted[state]]
    console.print(", ".join(behind if counted["stale"] else ["nothing is stale", *behind]))


def state_of(status: GroupStatus) -> str:
    """Return how a group stands in a word or two: ``fine``, ``stale``, or which step was not taken yet."""
    if not status.reasons:
        return "fine" if status.lock else "not locked"
    first, *more = status.reasons
    return "stale" if more else _TO_DO.get(type(first), "stale")


def _left_text(left: Sequence[Path], console: Console) -> None:
    for path in left:
        console.print(Text(f"{path} is the lock of a group that envlock.toml does not have"), soft_wrap=True)
        way = "if the group was renamed, rename the lock too (git mv); otherwise delete it"
        console.print(Text.assemble(("    do  ", "green"), way), soft_wrap=True)


def _reasons_text(found: Sequence[GroupStatus], console: Console) -> None:
    """Print why groups are stale and what to do; groups of a target with the same reasons together."""
    alike: dict[tuple[object, ...], list[GroupStatus]] = {}
    for one in found:
        if one.reasons:
            key = one.target, one.reasons, one.frozen is None, one.from_site is None
            alike.setdefault(key, []).append(one)
    for some in alike.values():
        one, names = some[0], ", ".join(status.group for status in some)
        console.print(Text.assemble((names, "bold"), f" on {one.target}"), soft_wrap=True)
        for reason in one.reasons:
            head = Text.assemble("  ", (reason.code, "red"), f"  {reason_text(reason)}")
            console.print(head, soft_wrap=True)
            way = _way_out(reason, one, one.group if len(some) == 1 else "GROUP")
            console.print(Text.assemble(("    do  ", "green"), way), soft_wrap=True)


def _way_out(reason: Reason, status: GroupStatus, group: str) -> str:
    frozen, from_site = status.frozen is not None, status.from_site is not None
    return way_out(reason, group, status.target, frozen=frozen, from_site=from_site)


def _row(status: GroupStatus) -> tuple[Text, ...]:
    unread = "unreadable" if any(isinstance(reason, Unreadable) for reason in status.reasons) else "no"
    locked = f"Python {status.lock.lock.python}" if status.lock else unread
    built = "yes" if status.matches else "another" if status.environment else "no"
    if status.from_site:
        built = "the site's"
    state = state_of(status)
    return (
        Text(status.group, style="bold"),
        Text(status.target),
        Text(locked),
        Text(built),
        Text(str(status.frozen.until) if status.frozen else ""),
        Text(_verified(status.report)),
        Text(size_text(status.size, status.inodes) if status.environment else ""),
        Text(state, style=_STYLES.get(state, "yellow")),
    )


def _verified(report: Report | None) -> str:
    if report is None:
        return "no"
    word = "" if report.passed else "failed "
    return f"{word}{report.started:%Y-%m-%d %H:%M} on {folded(report.hosts)}"


def status_document(
    found: Sequence[GroupStatus], sharers: Sequence[Holding], left: Sequence[Path]
) -> dict[str, object]:
    """Return the same as a document for programs."""
    return {
        "schema": "envlock/status/1",
        "stale": any(status.reasons for status in found),
        "not_locked": sum(status.lock is None for status in found),
        "groups": [_standing_document(status) for status in found],
        "projects": [holding_document(holding) for holding in sharers],
        "locks_of_no_group": [str(path) for path in left],
    }


def _standing_document(status: GroupStatus) -> dict[str, object]:
    lock, report = status.lock, status.report
    return {
        "group": status.group,
        "target": status.target,
        "state": state_of(status),
        "locked": {"file": str(lock.path), "sha256": lock.sha256, "python": lock.lock.python}
        if lock
        else None,
        "environment": str(status.environment) if status.environment else None,
        "matches_lock": status.matches,
        "brought_by_site": {
            "distributions": list(status.from_site.distributions),
            "use": status.from_site.use,
        }
        if status.from_site
        else None,
        "frozen": {"until": status.frozen.until.isoformat(), "reason": status.frozen.reason}
        if status.frozen
        else None,
        "verified": {
            "at": report.started.isoformat(),
            "passed": report.passed,
            "hosts": list(report.hosts),
        }
        if report
        else None,
        "bytes": status.size if status.environment else None,
        "inodes": status.inodes if status.environment else None,
        "editable": [pin.name for pin in lock.lock.distributions if pin.file.editable] if lock else [],
        "stale": [
            reason_document(reason) | {"do": _way_out(reason, status, status.group)}
            for reason in status.reasons
        ],
    }
