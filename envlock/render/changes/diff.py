"""Views of the difference between two locks: ``envlock diff``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.console import Console
from rich.text import Text

from envlock.lifecycle.diff import Diff, Movement, Rebuilt, Side
from envlock.lifecycle.steps import Move, Part, StepKind
from envlock.model.component import Via
from envlock.model.counting import number_of
from envlock.model.locked.pins import Origin
from envlock.render.changes.breaks import break_document, breaks_text
from envlock.render.terminal.sheets import Sheet

_FROM = {
    Via.WHEEL: "wheel",
    Via.BUILD: "build",
    Origin.NODE: "node",
    Origin.SITE: "site",
    Origin.INDEX: "index",
    Origin.CHOICE: "choice",
}
_STEPS = {
    StepKind.MAJOR: "major",
    StepKind.MINOR: "minor",
    StepKind.PATCH: "patch",
    StepKind.BUILD: "another build",
    StepKind.CALENDAR: "another year",
    StepKind.DOWNGRADE: "back",
    StepKind.OTHER: "another",
}
_STYLES = {StepKind.MAJOR: "red", StepKind.DOWNGRADE: "red", StepKind.MINOR: "yellow"}


def diff_text(diff: Diff, console: Console, asked: tuple[str, str] = ("", "")) -> None:
    """Print what changes, what must be built again, what breaks, and which facts come and go.

    Args:
        diff: the difference.
        console: where to print.
        asked: the locks as they were asked for, where people did.
    """
    console.print(_title(diff, asked), soft_wrap=True)
    if diff.old.as_of != diff.new.as_of:
        console.print(releases_text(diff))
    if diff.empty:
        console.print(f"nothing differs: {kept_text(diff)} stay as they are")
    else:
        console.print(_table(diff))
        console.print(Text(f"{kept_text(diff)} stay as they are", style="dim"))
    _rebuilt_text(diff, console)
    breaks_text(diff.breaks, console)
    _facts_text("Facts newly in play", diff.facts_in, console)
    _facts_text("Facts no longer in play", diff.facts_gone, console)


def title_text(diff: Diff, asked: tuple[str, str]) -> str:
    """Return which locks are compared; ``asked`` as in ``diff_text``."""
    return _title(diff, asked).plain


def _title(diff: Diff, asked: tuple[str, str]) -> Text:
    """Name both locks; where they are of one group and target, as they were asked for: revisions, files."""
    old, new = diff.old, diff.new
    if (old.group, old.target) == (new.group, new.target) and asked[0] != asked[1]:
        return Text.assemble((old.group, "bold"), f" on {old.target}: {asked[0]} -> {asked[1]}")
    return Text.assemble(
        (old.group, "bold"), f" on {old.target} -> ", (new.group, "bold"), f" on {new.target}"
    )


def releases_text(diff: Diff) -> str:
    """Return up to which days the two locks take releases."""
    return f"releases up to {_day(diff.old)} -> {_day(diff.new)}"


def _day(side: Side) -> str:
    return side.as_of.isoformat() if side.as_of else "today"


def kept_text(diff: Diff) -> str:
    """Return how much stays as it is."""
    counts = ((diff.distributions.kept, "distribution"), (diff.systems.kept, "system component"))
    return " and ".join(number_of(count, noun) for count, noun in counts)


def _table(diff: Diff) -> Sheet:
    table = Sheet("component", "old", "new", "step", wrap={"step"})
    if diff.python is not None:
        table.add_row("python", diff.python.old.version, diff.python.new.version, _step(diff.python))
    for movement, style in ((diff.systems, "magenta"), (diff.distributions, "")):
        for row in _rows(movement, style):
            table.add_row(*row)
    return table


def _rows(movement: Movement, style: str) -> Iterator[tuple[Text, ...]]:
    for move in movement.moved:
        name = Text(move.new.component, style=style)
        if move.old.component != move.new.component:
            name.append(f" (was {move.old.component})")
        yield name, Text(move.old.version), Text(move.new.version), _step(move)
    for part in movement.added:
        yield (
            Text(part.component, style=style),
            Text(),
            Text(part.version),
            Text(f"added{_from(part)}", style="green"),
        )
    for part in movement.removed:
        yield Text(part.component, style=style), Text(part.version), Text(), Text("removed", style="red")


def _from(part: Part) -> str:
    return f" ({_FROM[part.how]})" if part.how else ""


def step_text(move: Move) -> str:
    """Return how a component moves, in a few words."""
    return _step(move).plain


def _step(move: Move) -> Text:
    old, new = move.old, move.new
    text = Text()
    if old.version != new.version:
        text.append(_STEPS[move.step.kind], style=_STYLES.get(move.step.kind, ""))
        text.append(", may break" if move.step.may_break else "", style="bold")
    if old.how != new.how and old.how and new.how:
        text.append(f"{', ' if text else ''}{_FROM[old.how]} -> {_FROM[new.how]}")
    if not text:
        text.append(_same_version(old, new))
    return text


def _same_version(old: Part, new: Part) -> str:
    if old.place == new.place:
        return "other bytes under the same name"
    if isinstance(new.how, Via):
        return f"another {_FROM[new.how]}"
    return f"{old.place or 'no prefix'} -> {new.place or 'no prefix'}"


def _rebuilt_text(diff: Diff, console: Console) -> None:
    if diff.rebuilt:
        console.print(Text("\nBuilt again, though the version stays", style="bold"))
    for rebuilt in diff.rebuilt:
        console.print(Text(f"  {rebuilt_text(rebuilt)}"), soft_wrap=True)


def rebuilt_text(rebuilt: Rebuilt) -> str:
    """Return what goes into a distribution's build that differs from before."""
    why = ", ".join(
        f"{name} {old or 'absent'} -> {new or 'absent'}" for name, (old, new) in rebuilt.why.items()
    )
    return f"{rebuilt.component} {rebuilt.version}: with {why}"


def _facts_text(heading: str, facts: Mapping[str, str], console: Console) -> None:
    if facts:
        console.print(Text(f"\n{heading}", style="bold"))
    for fact, why in facts.items():
        console.print(Text.assemble("  ", (fact, "cyan"), f"  {why}"), soft_wrap=True)


def diff_document(diff: Diff) -> dict[str, object]:
    """Return the same for programs; every list sorted by component, breaks surest first."""
    return {
        "schema": "envlock/diff/1",
        "empty": diff.empty,
        "old": _side_document(diff.old),
        "new": _side_document(diff.new),
        "python": _move_document(diff.python) if diff.python else None,
        "system": _movement_document(diff.systems),
        "distributions": _movement_document(diff.distributions),
        "rebuilt": [_rebuilt_document(rebuilt) for rebuilt in diff.rebuilt],
        "breaks": [break_document(move) for move in diff.breaks],
        "facts": {"in": dict(diff.facts_in), "gone": dict(diff.facts_gone)},
    }


def _side_document(side: Side) -> dict[str, object]:
    return {
        "group": side.group,
        "target": side.target,
        "as_of": side.as_of.isoformat() if side.as_of else None,
        "knowledge": side.knowledge,
    }


def _movement_document(movement: Movement) -> dict[str, object]:
    return {
        "added": [_part_document(part) for part in movement.added],
        "removed": [_part_document(part) for part in movement.removed],
        "moved": [_move_document(move) for move in movement.moved],
        "kept": movement.kept,
    }


def _part_document(part: Part) -> dict[str, object]:
    return {
        "component": part.component,
        "version": part.version,
        "from": part.how.value if part.how else None,
        "place": part.place,
    }


def _move_document(move: Move) -> dict[str, object]:
    return {
        "component": move.new.component,
        "step": move.step.kind.value,
        "may_break": move.step.may_break,
        "old": _part_document(move.old),
        "new": _part_document(move.new),
    }


def _rebuilt_document(rebuilt: Rebuilt) -> dict[str, object]:
    return {
        "component": rebuilt.component,
        "version": rebuilt.version,
        "why": {name: {"old": old or None, "new": new or None} for name, (old, new) in rebuilt.why.items()},
    }
