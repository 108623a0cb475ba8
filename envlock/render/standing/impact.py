"""Views of what a change would do to groups: ``envlock impact``."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import asdict

from rich.console import Console
from rich.text import Text

from envlock.app.impact import Impact, Unread
from envlock.app.impact_resolve import Becomes, NoAnswer
from envlock.lifecycle.diff import Diff
from envlock.lifecycle.drift import FactRefuses, NodeChanged
from envlock.lifecycle.impact import (
    Break,
    Effect,
    Outcome,
    Owner,
    RequirementUnmet,
    SiteAddition,
    SiteChange,
    SiteRemoval,
    Upgrade,
    WishExcludes,
)
from envlock.model.counting import first_of
from envlock.model.project.layers import Layers
from envlock.render.standing.reasons import reason_document, reason_text, way_out
from envlock.render.terminal.sheets import Sheet

_STYLES = {Outcome.HOLDS: "green", Outcome.VERIFY_AGAIN: "yellow", Outcome.BREAKS: "bold red"}
_MOVES_SHOWN = 4


def impact_text(found: Impact, console: Console) -> None:
    """Print what would change, a table of all groups, then each reason with its groups and whom to ask."""
    console.print(Text(_title(found), style="bold"))
    resolved = {one.group: one for one in found.resolved}
    again = ["solved again it would have"] if resolved else []
    table = Sheet("group", "lock", "frozen until", *again, wrap=again)
    for effect in found.effects:
        cells = [Text(effect.group, style="bold"), Text(effect.outcome.value, style=_STYLES[effect.outcome])]
        cells.append(Text(str(effect.frozen.until) if effect.frozen else ""))
        table.add_row(*cells, *([Text(_becomes(resolved.get(effect.group)))] if resolved else []))
    for unread in found.unread:
        table.add_row(Text(unread.group, style="bold"), Text("unreadable", style="bold red"))
    if found.effects or found.unread:
        console.print(table)
    for reason, groups, owners in _by_reason(found):
        head = Text.assemble((reason.code, "red"), f"  {_broken(reason)}")
        console.print(head, soft_wrap=True)
        console.print(Text(f"    groups  {', '.join(groups)}"), soft_wrap=True)
        asked: dict[str, dict[str, None]] = {}
        for owner in owners:
            asked.setdefault(_whom(owner, found.layers), {})[_part(owner)] = None
        for whom, parts in asked.items():
            line = Text.assemble(("    ask     ", "green"), f"{whom} {' and '.join(parts)}")
            console.print(line, soft_wrap=True)
    for changed, groups in _by_change(found).items():
        head = Text.assemble(("verify-again", "yellow"), f"  {reason_text(changed)}")
        console.print(head, soft_wrap=True)
        console.print(Text(f"    groups  {', '.join(groups)}"), soft_wrap=True)
    for unread in found.unread:
        head = Text.assemble((unread.reason.code, "red"), f"  {reason_text(unread.reason)}")
        console.print(head, soft_wrap=True)
        console.print(Text(f"    groups  {unread.group}"), soft_wrap=True)
        console.print(Text.assemble(("    do      ", "green"), _mended(unread, found)), soft_wrap=True)
    if found.not_locked:
        names = ", ".join(found.not_locked)
        console.print(Text(f"not locked on {found.target}: {names}", style="dim"), soft_wrap=True)
    console.print(_summary(found))


def _title(found: Impact) -> str:
    parts = [f"{_WORDS[type(change)]} {change.component} {change.version}" for change in found.changes]
    parts += [f"go to {found.to}"] if found.to != found.target else []
    return f"{found.target}: {', '.join(parts)}"


_WORDS: dict[type[SiteChange], str] = {SiteRemoval: "remove", SiteAddition: "add", Upgrade: "upgrade"}


def _mended(unread: Unread, found: Impact) -> str:
    return way_out(unread.reason, unread.group, found.target, frozen=False)


def _by_reason(found: Impact) -> Collection[tuple[Break, list[str], list[Owner]]]:
    """Return each reason once, with the groups that it breaks; a fact is one whatever each has locked."""
    reasons: dict[Break | str, tuple[Break, list[str], list[Owner]]] = {}
    for effect in found.effects:
        for reason, owners in effect.breaks:
            key = reason.fact if isinstance(reason, FactRefuses) else reason
            first, groups, all_owners = reasons.setdefault(key, (reason, [], []))
            groups.append(f"{effect.group}{_unlike(reason, first)}")
            all_owners.extend(owners)
    return reasons.values()


def _unlike(reason: Break, first: Break) -> str:
    """Return what a fact refuses in a group, where that is not what the text of the first group names."""
    if not (isinstance(reason, FactRefuses) and isinstance(first, FactRefuses)):
        return ""
    others = [
        f"{name} {version}" for name, version in reason.components if (name, version) not in first.components
    ]
    return f" ({', '.join(others)})" if others else ""


def _by_change(found: Impact) -> dict[NodeChanged, list[str]]:
    """Return each change under environments that hold, with their groups."""
    changes: dict[NodeChanged, list[str]] = {}
    for effect in found.effects:
        for changed in effect.again if not effect.breaks else ():
            changes.setdefault(changed, []).append(effect.group)
    return changes


def _broken(reason: Break) -> str:
    if isinstance(reason, WishExcludes):
        return f"{reason.wish} is asked for, not {reason.component} {reason.version}"
    return reason.message if isinstance(reason, RequirementUnmet) else reason_text(reason)


def _whom(owner: Owner, layers: Layers) -> str:
    return f"group {owner.group}, who asks for" if owner.wish else f"{layers.whom(owner.layer)}, who own"


def _part(owner: Owner) -> str:
    return owner.wish or owner.component


def _becomes(one: Becomes | NoAnswer | None) -> str:
    if one is None:
        return ""
    if isinstance(one, NoAnswer):
        return f"nothing: {one.why}"
    steps = list(_steps(one.diff))
    return first_of(steps, _MOVES_SHOWN) if steps else "what it has"


def _steps(diff: Diff) -> Iterator[str]:
    """Yield what moves, system components first."""
    if diff.python is not None:
        yield f"python {diff.python.new.version}"
    for movement in (diff.systems, diff.distributions):
        yield from (f"{move.new.component} {move.new.version}" for move in movement.moved)
        yield from (f"+{part.component} {part.version}" for part in movement.added)
        yield from (f"-{part.component}" for part in movement.removed)
    yield from (f"{rebuilt.component} built again" for rebuilt in diff.rebuilt)


def _summary(found: Impact) -> str:
    broken = [effect for effect in found.effects if effect.breaks]
    frozen = sum(effect.frozen is not None for effect in broken)
    summary = f"{len(broken)} of {len(found.effects)} locks break" if broken else "no lock breaks"
    summary = f"{summary}, {frozen} of them frozen" if frozen else summary
    return f"{summary}; {len(found.unread)} cannot be read" if found.unread else summary


def impact_document(found: Impact) -> dict[str, object]:
    """Return the same as a document for programs."""
    resolved = {one.group: one for one in found.resolved}
    return {
        "schema": "envlock/impact/1",
        "target": found.target,
        "to": found.to,
        "changes": [{"change": _WORDS[type(change)], **asdict(change)} for change in found.changes],
        "breaks": any(effect.breaks for effect in found.effects),
        "groups": [
            _effect_document(effect, resolved.get(effect.group), found.layers) for effect in found.effects
        ],
        "unread": [
            {"group": unread.group, **reason_document(unread.reason), "do": _mended(unread, found)}
            for unread in found.unread
        ],
        "not_locked": list(found.not_locked),
    }


def _effect_document(effect: Effect, again: Becomes | NoAnswer | None, layers: Layers) -> dict[str, object]:
    return {
        "group": effect.group,
        "outcome": effect.outcome.value.replace(" ", "-"),
        "frozen": {"until": effect.frozen.until.isoformat(), "reason": effect.frozen.reason}
        if effect.frozen
        else None,
        "breaks": [
            _break_document(reason) | {"ask": [_owner_document(owner, layers) for owner in owners]}
            for reason, owners in effect.breaks
        ],
        "verify_again": [reason_document(reason) for reason in effect.again],
        "solved_again": _again_document(again),
    }


def _owner_document(owner: Owner, layers: Layers) -> dict[str, object]:
    return {**asdict(owner), "whom": f"{_whom(owner, layers)} {_part(owner)}"}


def _break_document(reason: Break) -> dict[str, object]:
    if isinstance(reason, WishExcludes | RequirementUnmet):
        return {"code": reason.code, **asdict(reason), "text": _broken(reason)}
    return reason_document(reason)


def _again_document(again: Becomes | NoAnswer | None) -> dict[str, object] | None:
    if isinstance(again, Becomes):
        return {"solved": True, "moves": list(_steps(again.diff))}
    return None if again is None else {"solved": False, "why": again.why}
