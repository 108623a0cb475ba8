"""The difference of two small locks, as people and programs read it; plain text, 100 columns wide."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from envlock.edges.files import read_toml
from envlock.edges.lock_files import read_lock
from envlock.lifecycle.diff import Diff, diff_locks
from envlock.render.changes.diff import diff_document, diff_text
from tests.locks import distribution, knowledge, lock, system

GOLDEN = Path(__file__).parents[2] / "golden" / "diff"


def between(old: str, new: str) -> Diff:
    locks = [read_lock(GOLDEN / f"pylock.{name}.toml").lock for name in (old, new)]
    changes = read_toml(GOLDEN / "changes.toml")["change"]
    return diff_locks(*locks, knowledge(*changes))


def printed(diff: Diff, *, terminal: bool = False) -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=100, highlight=False, emoji=False, force_terminal=terminal)
    diff_text(diff, console)
    return stream.getvalue()


@pytest.mark.parametrize(("old", "new"), [("base", "next"), ("next", "base"), ("base", "base")], ids="-".join)
def test_golden_text(old: str, new: str):
    lines = [line.rstrip() for line in printed(between(old, new)).splitlines()]
    assert lines == (GOLDEN / f"{old}-{new}.txt").read_text().splitlines()


def test_golden_document():
    document = json.loads(json.dumps(diff_document(between("base", "next"))))
    assert document["schema"] == "envlock/diff/1"
    assert document == json.loads((GOLDEN / "base-next.json").read_text())


def test_a_terminal_gets_colours_and_the_same_words():
    coloured = printed(between("base", "next"), terminal=True)
    assert "\x1b[" in coloured
    assert "vector_size=" in coloured


def test_text_of_others_is_no_markup():
    old, new = (lock(distribution("a", "1.0"), facts=facts) for facts in ({}, {"f": "[bold]not[/] markup"}))
    assert "[bold]not[/] markup" in printed(diff_locks(old, new, knowledge()))


def test_small_moves_have_words():
    old = lock(
        distribution("a", "1", content="one"),
        system("openmpi", "4.1.4", prefix="/usr"),
        distribution("b", "1"),
    )
    new = lock(
        distribution("a", "1", content="two"),
        system("openmpi", "4.1.4", prefix="/sw/openmpi"),
        distribution("b", "1", filename="b-1-2-py3-none-any.whl"),
    )
    text = printed(diff_locks(old, new, knowledge()))
    assert "/usr -> /sw/openmpi" in text
    assert "another wheel" in text
    assert "other bytes" in text
