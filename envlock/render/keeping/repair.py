"""Views of an environment's damage and its repair: ``envlock repair``."""

from __future__ import annotations

from dataclasses import asdict
from itertools import groupby

from rich.console import Console
from rich.text import Text

from envlock.app.keeping.repair import Repair
from envlock.model.command_line import on_target
from envlock.model.counting import number_of
from envlock.model.locked.integrity import Damage, Flaw

_MOST_FILES = 5
_WHOLE = {
    Damage.MISSING: "is missing",
    Damage.FOREIGN: "is not in the lock, at least not in this version",
    Damage.CHANGED: "was changed",
}
_FILE = {
    Damage.MISSING: "is missing",
    Damage.FOREIGN: "belongs to no distribution",
    Damage.CHANGED: "is not what was installed",
}


def repair_text(found: Repair, console: Console, *, group: str, target: str, dry_run: bool) -> None:
    """Print what differed, distribution by distribution, and what became of it."""
    if not found.flaws:
        parts = number_of(found.distributions, "distribution")
        console.print(f"{group}: all files of {parts} are as they were installed")
        return
    for name, flaws in groupby(sorted(found.flaws, key=_order), key=lambda flaw: flaw.distribution):
        console.print(Text(name or "of no distribution", style="bold"))
        listed = list(flaws)
        for flaw in listed[:_MOST_FILES]:
            word = (_FILE if flaw.path else _WHOLE)[flaw.damage]
            console.print(Text(f"  {flaw.path} {word}" if flaw.path else f"  {word}"), soft_wrap=True)
        if len(listed) > _MOST_FILES:
            console.print(f"  and {len(listed) - _MOST_FILES} more")
    if dry_run:
        console.print(f"nothing was changed; envlock repair {on_target(group, target)} installs these again")
    elif found.left:
        files = (
            "1 file that nobody installed: look at it, and remove it"
            if len(found.left) == 1
            else (f"{len(found.left)} files that nobody installed: look at them, and remove them")
        )
        console.print(f"repaired, except for {files} by hand")
    else:
        console.print(f"repaired: {found.prefix} is as it was installed")


def _order(flaw: Flaw) -> tuple[str, str]:
    return flaw.distribution, flaw.path


def repair_document(found: Repair, *, group: str, target: str, dry_run: bool) -> dict[str, object]:
    """Return the same as a document for programs."""
    return {
        "schema": "envlock/repair/1",
        "group": group,
        "target": target,
        "environment": str(found.prefix),
        "dry_run": dry_run,
        "distributions": found.distributions,
        "flaws": [asdict(flaw) for flaw in found.flaws],
        "left": [asdict(flaw) for flaw in found.left],
    }
