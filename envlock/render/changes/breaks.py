"""Views of what a move breaks: names to change in code, with the sources that say so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from envlock.lifecycle.breaks import Break, Rename
from envlock.lifecycle.steps import StepKind
from envlock.model.counting import first_of

UNDONE = "May break: the older release may lack what is written today"
_YOU = "you"
_ASKERS_SHOWN = 2


def breaks_text(breaks: Sequence[Break], console: Console) -> None:
    """Print recorded changes name by name, then what only the versions announce."""
    certain = [move for move in breaks if move.breaking]
    undone = [move for move in breaks if move.undoes]
    harmless = [move for move in breaks if move.renames and not move.breaking and not move.undoes]
    announced = [move for move in breaks if not move.renames]
    for heading, style, found in (
        ("Breaks for you", "bold red", certain),
        (UNDONE, "bold yellow", undone),
        ("Changes that need not break code", "bold", harmless),
        ("May break, with no change on record", "bold", announced),
    ):
        if found:
            console.print(Text(f"\n{heading}", style=style))
        for move in found:
            _break_text(move, console)


def _break_text(move: Break, console: Console) -> None:
    moved = Text(f"{move.component} {move.old} -> {move.new}", style="bold")
    console.print(Text.assemble("  ", moved, "  ", "; ".join(_remarks(move))), soft_wrap=True)
    for rename in move.renames:
        console.print(_rename(rename, backwards=move.backwards), soft_wrap=True)
    sources = dict.fromkeys(source for rename in move.renames for source in rename.sources)
    for source in sources:
        console.print(Text.assemble(("    source  ", "cyan"), str(source)), soft_wrap=True)


def _remarks(move: Break) -> Iterator[str]:
    if move.backwards:
        yield "a step back, which takes changes back" if move.renames else "a step back"
    else:
        yield "a step to another year" if move.step.kind is StepKind.CALENDAR else f"a {move.step.kind} step"
    if _YOU in move.asked_by:
        yield "you asked for it"
    elif move.asked_by:
        yield f"needed by {first_of(move.asked_by, _ASKERS_SHOWN)}"


def _rename(rename: Rename, *, backwards: bool) -> Text:
    if not rename.old:
        return Text.assemble("    ", (rename.new, "green"), f"  is there again (it went with {rename.since})")
    text = Text.assemble("    ", (rename.old, "red"), " -> ", (rename.new or "gone", "green"))
    works = "" if rename.breaking else f"({rename.new if backwards else rename.old} works in both)"
    if remark := rename.note or works:
        text.append(f"  {remark}", style="dim")
    return text


def break_document(move: Break) -> dict[str, object]:
    """Return the same as a document for programs."""
    return {
        "component": move.component,
        "old": move.old,
        "new": move.new,
        "step": move.step.kind.value,
        "breaking": move.breaking,
        "backwards": move.backwards,
        "asked_by": list(move.asked_by),
        "changes": [_rename_document(rename) for rename in move.renames],
    }


def _rename_document(rename: Rename) -> dict[str, object]:
    return {
        "old": rename.old,
        "new": rename.new,
        "since": rename.since,
        "breaking": rename.breaking,
        "note": rename.note,
        "sources": [source.document() for source in rename.sources],
    }
