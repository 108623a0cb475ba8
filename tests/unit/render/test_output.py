"""What is printed is printed as it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from envlock.cli import _COMMANDS
from envlock.render.terminal.output import console
from envlock.render.terminal.sheets import Sheet


@pytest.mark.parametrize("width", [120, 16])
def test_brackets_in_paths_and_words_are_no_markup(capsys: pytest.CaptureFixture[str], width: int) -> None:
    screen = console()
    screen.width = width
    table = Sheet()
    for heading in ("name", "place"):
        table.add_column(heading, no_wrap=True)
    table.add_row("[a]", "/s/[/b]/c")
    screen.print("/srv/[red]/env", soft_wrap=True)
    screen.print(table)
    said = "".join(capsys.readouterr().out.split())  # where it is narrow, words are broken
    assert all(text in said for text in ("/srv/[red]/env", "[a]", "/s/[/b]/c"))


@pytest.mark.parametrize("width", [120, 16])
def test_no_control_character_of_others_reaches_a_terminal(
    capsys: pytest.CaptureFixture[str], width: int
) -> None:
    """An index may give any reason for which a release was withdrawn; a terminal would obey."""
    screen = console()
    screen.width = width
    said = "bad\x1b]0;mine\x07 \x1b[2Kfine\x9b1A"
    table = Sheet()
    for heading in ("name", "why"):
        table.add_column(heading)
    table.add_row(said, said)
    screen.print(said, style="red")
    screen.print(table)
    out = capsys.readouterr().out
    assert not any(one in out for one in "\x1b\x07\x9b")
    assert "\N{REPLACEMENT CHARACTER}[2Kfine" in out


def test_every_document_bears_the_name_of_its_command() -> None:
    """The README promises ``"schema": "envlock/<command>/1"``, which scripts rely on."""
    home = Path(__file__).parents[3] / "envlock"
    texts = [path.read_text() for folder in ("render", "cli") for path in (home / folder).rglob("*.py")]
    named = {name for text in texts for name in re.findall(r'"envlock/([a-z-]+)/1"', text)}
    assert named <= set(_COMMANDS)
    assert len(named) > 20
