"""Where output goes: tables and colour in a terminal, plain text in a pipe, JSON for programs."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.console import Console

T = TypeVar("T")

_PIPE_WIDTH = 120
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Control characters (C0, C1) but for tabulators and ends of lines."""


def console(*, stderr: bool = False) -> Console:
    """Return a console on a standard stream; piped output is plain and has one width on all terminals."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else _PIPE_WIDTH
    # Paths, and the output of programs, may have words in brackets of their own.
    return _screen()(stderr=stderr, width=width, highlight=False, emoji=False, markup=False)


@cache
def _screen() -> type[Console]:
    """Return a console that hands on no control characters in what indexes, programs and files say.

    A terminal obeys them: a reason for which a release was withdrawn could retitle, erase or forge lines.
    """
    from rich.console import Console, ConsoleOptions, RenderableType  # noqa: PLC0415 - JSON does without it
    from rich.segment import Segment  # noqa: PLC0415

    class Screen(Console):
        def render(
            self, renderable: RenderableType, options: ConsoleOptions | None = None
        ) -> Iterable[Segment]:
            for segment in super().render(renderable, options):
                if segment.control or _CONTROL.search(segment.text) is None:
                    yield segment
                else:
                    yield Segment(_CONTROL.sub("\N{REPLACEMENT CHARACTER}", segment.text), segment.style)

    return Screen


def print_line(text: str) -> None:
    """Print one line to standard output, for use in ``$(...)``."""
    sys.stdout.write(f"{text}\n")


def print_text(text: str) -> None:
    """Print a text as it is, for ``eval`` and pipes."""
    sys.stdout.write(text)


def print_result(
    result: T, *, json: bool, document: Callable[[T], object], text: Callable[[T, Console], None]
) -> None:
    """Print a result: for programs by its document, else for people by its text."""
    if json:
        print_document(document(result))
    else:
        text(result, console())


def print_document(document: object) -> None:
    """Print one JSON document to standard output, whole or not at all."""
    sys.stdout.write(json.dumps(document, indent=2, sort_keys=False, default=str) + "\n")
