"""Ranks that the probe starts by itself: how they end, and what is told of it."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from envlock.probe import local
from tests.patience import PATIENCE_S


def started(program: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", program])


def test_the_status_is_that_of_who_failed_and_not_of_who_was_killed_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(local, "_GRACE", 0.1)
    hanging, failing = started("import time; time.sleep(3600)"), started("raise SystemExit(3)")
    assert local.wait_for_all([hanging, failing]) == 3
    assert hanging.wait(PATIENCE_S) == -signal.SIGKILL


def test_ranks_that_were_started_end_with_a_start_that_is_broken_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by a SIGTERM that comes in between."""
    (tmp_path / "rank").write_text("import time; time.sleep(3600)")
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "rank")])
    children: list[subprocess.Popen[bytes]] = []
    start = subprocess.Popen

    def told_to_end(command: list[str], **given: object) -> subprocess.Popen[bytes]:
        if children:
            raise SystemExit(143)
        children.append(start(command, **given))  # type: ignore[call-overload]
        return children[0]

    monkeypatch.setattr(local.subprocess, "Popen", told_to_end)
    before = signal.getsignal(signal.SIGTERM)
    try:
        with pytest.raises(SystemExit):
            local.run_local(local.Share(2, 0, 2, False), [])
    finally:
        signal.signal(signal.SIGTERM, before)
    assert children[0].wait(PATIENCE_S) == -signal.SIGKILL
