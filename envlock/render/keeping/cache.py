"""Views of the cache: ``envlock cache``."""

from __future__ import annotations

from dataclasses import asdict

from rich.console import Console

from envlock.app.cache import CacheContents
from envlock.render.terminal.output import print_line
from envlock.render.terminal.sheets import Sheet
from envlock.render.terminal.sizes import bytes_text

_KINDS = {
    "downloads": "downloaded wheels and sdists",
    "pages": "pages of indexes",
    "extracts": "what was read of files and of this machine",
    "outdated": "left by other versions of envlock",
}


def cache_text(found: CacheContents, console: Console) -> None:
    """Print what is in the cache and which part is unused, or was until now."""
    print_line(f"cache: {found.folder}")
    if not found.parts:
        console.print("there is nothing in it")
        return
    numbers = ("files", "on disk", "removed" if found.pruned else f"unused for {_days(found.days)}")
    table = Sheet("what", *numbers, wrap={"what"}, numbers=numbers)
    for part in found.parts:
        table.add_row(_KINDS[part.kind], str(part.files), bytes_text(part.size), bytes_text(part.unused_size))
    console.print(table)
    size, unused = (sum(getattr(part, name) for part in found.parts) for name in ("size", "unused_size"))
    if found.pruned:
        console.print(f"removed {bytes_text(unused)} of {bytes_text(size)}")
        if found.left:
            console.print(f"{bytes_text(found.left)} more are unused, and not yours to remove")
    else:
        console.print(
            f"{bytes_text(size)} in all; envlock cache --prune removes what is unused ({bytes_text(unused)})"
        )


def cache_document(found: CacheContents) -> dict[str, object]:
    """Return the same as a document for programs."""
    return {
        "schema": "envlock/cache/1",
        "folder": str(found.folder),
        "days": found.days,
        "pruned": found.pruned,
        "left": found.left,
        "parts": [asdict(part) for part in found.parts],
    }


def _days(number: int) -> str:
    return "a day" if number == 1 else f"{number} days"
