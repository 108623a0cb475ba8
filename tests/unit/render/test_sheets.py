"""Tables in terminals of several widths."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console
from rich.text import Text

from envlock.render.terminal.sheets import Sheet

SENTENCE = "every library that twelve files need is found on this node"


def shown(width: int, *, title: str | None = None) -> list[str]:
    sheet = Sheet(title=title)
    for heading in ("check", "", "result", "what was seen"):
        sheet.add_column(heading, overflow="fold", no_wrap=heading != "what was seen")
    sheet.add_row("", Text("files and node", style="bold"), "", "")
    sheet.add_row("S2", "shared libraries", "passed", SENTENCE)
    sheet.add_row("S3", "symbol versions", "", "")
    console = Console(file=StringIO(), width=width)
    console.print(sheet)
    assert isinstance(console.file, StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


@pytest.mark.parametrize("width", [20, 30, 40, 56, 70, 120])
def test_no_word_is_cut_at_any_width(width: int) -> None:
    lines = shown(width)
    assert max(map(len, lines)) <= width
    said = " ".join(" ".join(lines).split())
    words = ["S2", "shared", "libraries", "passed", *SENTENCE.split()]
    assert not [word for word in words if word not in said.split()]


def test_where_there_is_no_room_each_row_is_a_block() -> None:
    assert shown(44, title="of today") == [
        "",
        "of today",
        "files and node",
        "S2  shared libraries",
        "  result         passed",
        "  what was seen  every library that twelve",
        "                 files need is found on this",
        "                 node",
        "S3  symbol versions",
        "",
    ]


def test_where_there_is_room_it_is_a_table() -> None:
    assert "check   " in shown(70)[1]
    assert "check" not in "".join(shown(50))
