"""Where output goes: tables and colour in a terminal, plain text in a pipe, JSON for programs."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

_PIPE_WIDTH = 120


def console(*, stderr: bool = False) -> Console:
    """Return a console on a standard stream; piped output is plain and has one width on all terminals."""
    from rich.console import Console  # noqa: PLC0415 - JSON and silent output do without it

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else _PIPE_WIDTH
    # Paths, and the output of programs, may have words in brackets of their own.
    return Console(stderr=stderr, width=width, highlight=False, emoji=False, markup=False)


def print_line(text: str) -> None:
    """Print one line to standard output, for use in ``$(...)``."""
    sys.stdout.write(f"{text}\n")


def print_text(text: str) -> None:
    """Print a text as it is, for ``eval`` and pipes."""
    sys.stdout.write(text)


def print_document(document: object) -> None:
    """Print one JSON document to standard output."""
    json.dump(document, sys.stdout, indent=2, sort_keys=False, default=str)
    sys.stdout.write("\n")
