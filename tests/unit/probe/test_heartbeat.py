"""How often a rank writes, by how many there are."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from envlock.probe.heartbeat import pause_s

RANK = """
import sys, time
from envlock.probe.heartbeat import Heartbeat
from envlock.probe.placement import Placement
heart = Heartbeat(sys.argv[1], Placement("generic", 0, 2, 0, {}), {}, 60.0, float(sys.argv[2]))
for phase in ("one", "two", "three"):
    heart.beat(phase)
print("there", flush=True)
sys.stdin.readline()
"""


@pytest.mark.parametrize(("ranks", "seconds"), [(2, 0), (64, 0), (1000, 1.25), (8000, 10)])
def test_all_ranks_together_write_at_a_bounded_rate(ranks: int, seconds: float) -> None:
    assert pause_s(ranks) == seconds


@pytest.mark.parametrize(("pause", "first"), [(0.0, "three"), (3.0, "one")])
def test_what_is_held_back_is_written_while_the_rank_waits(tmp_path: Path, pause: float, first: str) -> None:
    command = [sys.executable, "-c", RANK, str(tmp_path), str(pause)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as rank:
        assert rank.stdout is not None
        rank.stdout.readline()
        (file,) = tmp_path.glob("rank-0-*.json")
        assert json.loads(file.read_text())["phase"] == first
        for _ in range(200):
            if (document := json.loads(file.read_text()))["phase"] == "three":
                break
            with pytest.raises(subprocess.TimeoutExpired):
                rank.wait(timeout=0.1)
        rank.communicate(b"end\n", timeout=30)
    assert (document["phase"], document["step"]) == ("three", 3)
