"""Views of the projects that share a store, with what each holds in it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from envlock.model.command_line import as_word
from envlock.model.published.holding import Holding
from envlock.render.terminal.sheets import Sheet


def holdings_text(found: Sequence[Holding], here: str, console: Console) -> None:
    """Print who holds what, then how to forget a project that is gone."""
    table = Sheet("project", "holds", "", wrap={"project", "holds"})
    for holding in found:
        state = (
            "this one"
            if holding.name == here
            else "gone"
            if holding.gone
            else ""
            if holding.manifest
            else "unknown"
        )
        table.add_row(Text(whose(holding)), Text(held_text(holding)), Text(state))
    console.print(table)
    gone_text(found, console)


def gone_text(found: Sequence[Holding], console: Console) -> None:
    """Print what to do about each project that is gone."""
    for holding in found:
        if holding.gone and holding.manifest is not None:
            folder = as_word(holding.manifest.parent)
            console.print(
                Text(f"{whose(holding)} is gone, or not mounted here, and still holds {held_text(holding)}"),
                soft_wrap=True,
            )
            way = f"envlock gc --forget {folder}"
            console.print(Text.assemble(("    do  ", "green"), way), soft_wrap=True)


def whose(holding: Holding) -> str:
    """Return a project's folder; its name in the store where the folder is not known."""
    return str(holding.manifest.parent) if holding.manifest else holding.name


def held_text(holding: Holding) -> str:
    """Return the groups that hold environments, and the promises."""
    current = [f"{group} on {target}" for target, group in (name.split("/") for name in holding.current)]
    promised = [f"{group} frozen until {until}" for group, until in sorted(holding.promised.items())]
    return ", ".join([*current, *promised]) or "nothing"


def holding_document(holding: Holding) -> dict[str, object]:
    """Return the same as a document for programs."""
    return {
        "name": holding.name,
        "folder": str(holding.manifest.parent) if holding.manifest else None,
        "gone": holding.gone,
        "current": dict(holding.current),
        "frozen": {group: until.isoformat() for group, until in sorted(holding.promised.items())},
    }
