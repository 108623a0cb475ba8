"""Bars in a terminal."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from envlock.render.terminal import progress
from envlock.render.terminal.progress import TerminalProgress


def test_what_a_build_prints_is_shown_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compilers write paths and numbers in brackets, which would be rich's markup."""
    screen = io.StringIO()
    terminal = Console(file=screen, force_terminal=True, width=200)
    monkeypatch.setattr(progress, "console", lambda **_: terminal)
    with TerminalProgress().task("building [/x]") as task:
        task.note("[1/5] error in [/usr/lib/foo]")
    assert "building [/x]" in screen.getvalue()
    assert "[1/5] error in [/usr/lib/foo]" in screen.getvalue()
