"""Errors as people and programs read them."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from envlock.model.errors import EnvlockError, ExitStatus


def error_text(error: EnvlockError, console: Console) -> None:
    """Print what went wrong, where, why and what to do next, one line each."""
    label = "refused" if error.status is ExitStatus.NO else "error"
    console.print(Text.assemble((f"{label}: ", "bold red"), (error.message, "bold")))
    for name, text in (("where", error.where), ("why", error.why), ("next", error.hint)):
        if text:
            indented = text.replace("\n", "\n         ")
            console.print(Text.assemble((f"  {name:5}  ", "cyan"), indented), soft_wrap=True)
    console.print(Text(f"  code   {error.code}", style="dim"))


def error_document(error: EnvlockError, command: str) -> dict[str, object]:
    """Return the same as a document for programs."""
    return {
        "schema": f"envlock/{command}/1",
        "error": {
            "code": error.code,
            "message": error.message,
            "where": error.where,
            "why": error.why,
            "hint": error.hint,
            "exit_status": int(error.status),
        },
    }
