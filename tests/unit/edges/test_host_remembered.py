from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from envlock.edges.cache import Cache
from envlock.edges.host import remembered, tools
from envlock.edges.host.detect import detect_target
from envlock.edges.host.remembered import NotKeptError, Remembered
from tests.shipped import KNOWLEDGE


@pytest.fixture
def tool(tmp_path: Path) -> Path:
    """A tool that says something and counts how often it was asked."""
    path = tmp_path / "prefix/bin/tool"
    path.parent.mkdir(parents=True)
    (path.parent.parent / "lib").mkdir()
    path.write_text(f'#!/bin/sh\necho asked >> "{tmp_path}/asked"\necho "said $1 $WORD"\n')
    path.chmod(0o755)
    return path


def _asked(tool: Path) -> int:
    return (tool.parents[2] / "asked").read_text().count("asked")


def _ask(tool: Path, word: str = "", argument: str = "x", **more: str) -> str:
    environ = {"PATH": os.environ["PATH"], "WORD": word, **more}
    kept = Remembered(Cache(tool.parents[2] / "cache"), environ)
    return kept.ask([str(tool), argument], environ)


def test_a_tool_is_asked_once(tool: Path) -> None:
    assert [_ask(tool, PWD="/a"), _ask(tool, PWD="/b")] == ["said x \n"] * 2
    assert _asked(tool) == 1


def test_another_login_asks_nothing_anew(tool: Path) -> None:
    first = _ask(tool, SSH_CONNECTION="10.0.0.1 50000 10.0.0.2 22", XDG_SESSION_ID="1", TERM="xterm")
    again = _ask(tool, SSH_CONNECTION="10.0.0.1 50001 10.0.0.2 22", XDG_SESSION_ID="2", TMUX="/tmp/tmux,1,0")
    assert [first, again] == ["said x \n"] * 2
    assert _asked(tool) == 1


def test_another_question_or_another_variable_is_another_answer(tool: Path) -> None:
    assert [_ask(tool), _ask(tool, argument="y"), _ask(tool, word="w")] == [
        "said x \n",
        "said y \n",
        "said x w\n",
    ]
    assert _asked(tool) == 3


def test_it_is_asked_again_when_it_changed(tool: Path) -> None:
    _ask(tool)
    tool.write_text("#!/bin/sh\necho other\n")
    assert _ask(tool) == "other\n"


@pytest.mark.parametrize("place", ["lib/libtool.so", "bin/another"])
def test_it_is_asked_again_when_a_file_came_beside_it(tool: Path, place: str) -> None:
    _ask(tool)
    (tool.parents[1] / place).touch()
    _ask(tool)
    assert _asked(tool) == 2


def test_it_is_asked_again_after_a_restart(
    tool: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _ask(tool)
    (tmp_path / "boot").write_text("another\n")
    monkeypatch.setattr(remembered, "_BOOT", tmp_path / "boot")
    _ask(tool)
    assert _asked(tool) == 2


def test_a_link_to_another_tool_is_another_tool(tool: Path, tmp_path: Path) -> None:
    link = tmp_path / "alternatives/bin/tool"
    link.parent.mkdir(parents=True)
    link.symlink_to(tool)
    other = tmp_path / "other/bin/tool"
    other.parent.mkdir(parents=True)
    other.write_text("#!/bin/sh\necho other\n")
    other.chmod(0o755)
    assert _ask(link) == "said x \n"
    link.unlink()
    link.symlink_to(other)
    assert _ask(link) == "other\n"


def test_that_a_tool_fails_is_believed_for_a_while(tool: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool.write_text(tool.read_text() + "exit 1\n")
    assert [_ask(tool), _ask(tool)] == ["", ""]
    assert _asked(tool) == 1
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 601)
    assert _ask(tool) == ""
    assert _asked(tool) == 2


def test_one_that_does_not_answer_in_time_is_asked_every_time(
    tool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tools, "_PATIENCE_S", 0.2)
    tool.write_text(tool.read_text() + "sleep 60\n")
    assert [_ask(tool), _ask(tool)] == ["", ""]
    assert _asked(tool) == 2


def test_one_that_was_never_asked_is_not_kept_and_one_that_is_not_there_says_nothing(tool: Path) -> None:
    kept = Remembered(Cache(tool.parents[2] / "cache"), {})
    assert kept.kept([str(tool.parent / "gone")]) == ""
    with pytest.raises(NotKeptError):
        kept.kept([str(tool)])


def test_the_machine_looks_the_same_with_and_without_what_is_remembered(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    signs = KNOWLEDGE.detection
    asked = detect_target(signs, cache=cache)
    assert asked == detect_target(signs) == detect_target(signs, cache=cache)
