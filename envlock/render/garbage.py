"""Views of environments that nobody uses: ``envlock gc``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from envlock.app.tidy import Garbage
from envlock.render.sizes import size_text

_TOGETHER = {
    "log": "logs of what is no longer there: {}",
    "verification": "folders of killed verifications: {}",
    "temporary": "what killed runs made aside: {}",
    "bytecode": "bytecode that no environment has: {} modules",
}


def garbage_text(found: Sequence[Garbage], console: Console, *, dry_run: bool) -> None:
    """Print what nobody uses and what became of it."""
    if not found:
        console.print("everything in the store is in use")
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("what", "on disk", ""):
        table.add_column(heading, overflow="fold", no_wrap=heading != "what")
    for one in found:
        table.add_row(
            Text(_name(one)), Text(size_text(one.size, one.inodes)), Text(_state(one, dry_run=dry_run))
        )
    console.print(table)
    counted = [one for one in found if one.removed or dry_run]
    total = size_text(sum(one.size for one in counted), sum(one.inodes for one in counted))
    if dry_run:
        console.print(f"nothing was removed; envlock gc --yes removes these ({total})")
    else:
        kept = len(found) - len(counted)
        console.print(f"removed {total}" + (f"; {kept} kept" if kept else ""))


def _name(one: Garbage) -> str:
    if one.kind == "environment":
        return one.key
    if one.kind == "build":
        return f"build {one.key}"
    return _TOGETHER[one.kind].format(one.count)


def _state(one: Garbage, *, dry_run: bool) -> str:
    if one.removed:
        return "removed"
    if not dry_run:
        return "kept: somebody is making it, or uses it now"
    return "unused" if one.complete else "unfinished, or being made"


def garbage_document(found: Sequence[Garbage], *, dry_run: bool) -> dict[str, object]:
    """The same for programs."""
    return {
        "schema": "envlock/gc/1",
        "dry_run": dry_run,
        "environments": [asdict(one) for one in found if one.kind == "environment"],
        "leftovers": [asdict(one) for one in found if one.kind != "environment"],
    }
