"""Views of environments that nobody uses: ``envlock gc``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.text import Text

from envlock.app.keeping.sharing import Tidied
from envlock.app.keeping.tidy import Garbage
from envlock.model.command_line import as_word
from envlock.render.standing.holdings import held_text, holding_document, holdings_text, whose
from envlock.render.terminal.sheets import Sheet
from envlock.render.terminal.sizes import size_text

_TOGETHER = {
    "log": "logs of what is no longer there: {}",
    "verification": "folders of killed verifications: {}",
    "temporary": "what killed runs made aside: {}",
    "bytecode": "modules whose bytecode no environment has: {}",
}


def garbage_text(tidied: Tidied, console: Console, *, dry_run: bool) -> None:
    """Print what nobody uses and what became of it, and who holds the rest of a shared store."""
    if tidied.forgotten is not None:
        _print_forgotten(tidied, console, dry_run=dry_run)
    if tidied.garbage:
        _print_garbage(tidied, console, dry_run=dry_run)
    else:
        console.print("everything in the store is in use")
    if tidied.holdings:
        holdings_text(tidied.holdings, tidied.here, console)


def _print_forgotten(tidied: Tidied, console: Console, *, dry_run: bool) -> None:
    gone = tidied.forgotten
    if gone is None:
        return
    console.print(
        Text(f"{'would forget' if dry_run else 'forgot'} {whose(gone)}: {held_text(gone)}"), soft_wrap=True
    )
    if tidied.unseen and gone.manifest is not None:
        above = gone.manifest.parent.parent
        console.print(Text(f"note: {above} is not here either; is what it lies on mounted?"), soft_wrap=True)


def _print_garbage(tidied: Tidied, console: Console, *, dry_run: bool) -> None:
    found = tidied.garbage
    table = Sheet("what", "on disk", "", wrap={"what"})
    for garbage in found:
        table.add_row(
            Text(_name(garbage)),
            Text(size_text(garbage.size, garbage.inodes)),
            Text(_state(garbage, dry_run=dry_run)),
        )
    console.print(table)
    counted = [garbage for garbage in found if garbage.removed or (dry_run and not garbage.owner)]
    total = size_text(sum(garbage.size for garbage in counted), sum(garbage.inodes for garbage in counted))
    if dry_run:
        again = f"envlock gc {_forgetting(tidied)}--yes"
        console.print(f"nothing was removed; {again} removes these ({total})", soft_wrap=True)
    else:
        kept = len(found) - len(counted)
        console.print(f"removed {total}" + (f"; {kept} kept" if kept else ""))


def _forgetting(tidied: Tidied) -> str:
    gone = tidied.forgotten
    if gone is None:
        return ""
    folder = as_word(gone.manifest.parent if gone.manifest else Path())
    return f"--forget {folder} " + ("--frozen-too " if gone.promised else "")


def _name(garbage: Garbage) -> str:
    if garbage.kind == "environment":
        return garbage.key
    if garbage.kind == "build":
        return f"build {garbage.key}"
    return _TOGETHER[garbage.kind].format(garbage.count)


def _state(garbage: Garbage, *, dry_run: bool) -> str:
    if garbage.removed:
        return "removed"
    if garbage.owner:
        return f"{'unused' if dry_run else 'kept'}: only {garbage.owner} can remove it"
    if not dry_run:
        return "kept: somebody is making it, or uses it now"
    if not garbage.complete:
        return "unfinished, or being made"
    return f"unused; {', '.join(garbage.rollbacks)} could roll back to it" if garbage.rollbacks else "unused"


def garbage_document(tidied: Tidied, *, dry_run: bool) -> dict[str, object]:
    """Return the same as a document for programs."""
    gone = tidied.forgotten
    return {
        "schema": "envlock/gc/1",
        "dry_run": dry_run,
        "environments": [asdict(garbage) for garbage in tidied.garbage if garbage.kind == "environment"],
        "leftovers": [asdict(garbage) for garbage in tidied.garbage if garbage.kind != "environment"],
        "forgotten": holding_document(gone) if gone else None,
        "projects": [holding_document(holding) for holding in tidied.holdings],
    }
