"""Views of a target: ``envlock detect``."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from envlock.model.project.target import Offer, Target, encode_target
from envlock.render.terminal.sheets import Sheet


def target_text(target: Target, console: Console, *, no_node: str) -> None:
    """Print what the node is, what it offers and which interpreters it has; or why it is no node."""
    console.print(
        Text.assemble((target.name, "bold"), f": {target.os or 'an unknown system'}, {target.machine}")
    )
    table = Sheet("component", "version", "where", "found by")
    for offer in target.offers:
        name = Text(offer.component, style="magenta")
        table.add_row(name, Text(offer.version), Text(_where(offer)), Text(_found_by(offer)))
    console.print(table)
    if not target.gpus:
        console.print(Text("no NVIDIA or AMD GPU", style="dim"))
    table = Sheet("python", "path")
    for interpreter in target.interpreters:
        table.add_row(Text(interpreter.version, style="magenta"), Text(interpreter.path))
    console.print(table)
    if no_node:
        note = f"{no_node}: locks can be made here, for targets (solve GROUP --target NAME --lock-only)"
        console.print(Text(note), soft_wrap=True)


def _where(offer: Offer) -> str:
    return f"module load {' '.join(offer.modules)}" if offer.modules else offer.prefix


def _found_by(offer: Offer) -> str:
    words = ", ".join(f"{name} {word}" for name, word in offer.properties.items())
    return "; ".join(part for part in (offer.note, words) if part)


def target_document(target: Target, *, no_node: str) -> dict[str, object]:
    """Return the same as a document for programs."""
    document = {"schema": "envlock/detect/1", "name": target.name} | encode_target(target)
    return {**document, "no_node": no_node} if no_node else document
