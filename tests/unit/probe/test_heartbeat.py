"""How often a rank writes, by how many there are."""

from __future__ import annotations

import faulthandler
import json
import subprocess
import sys
from pathlib import Path

import pytest

from envlock.edges.ranks.heartbeats import NodeLogs, read_heartbeats
from envlock.probe.heartbeat import Heartbeat, pause_s
from envlock.probe.node_log import append
from envlock.probe.placement import Placement
from tests.patience import PATIENCE_S, wait_until

pytestmark = pytest.mark.processes

RANK = """
import sys
from pathlib import Path
from envlock.edges.ranks.heartbeats import read_heartbeats
from envlock.probe.heartbeat import Heartbeat
from envlock.probe.placement import Placement
heart = Heartbeat(sys.argv[1], Placement("generic", 0, 2, 0, {}), {}, 60.0, float(sys.argv[2]), ())
for phase in ("one", "two", "three"):
    heart.beat(phase)
(written,) = read_heartbeats(Path(sys.argv[1])).values()
print(written["phase"], flush=True)
sys.stdin.readline()
"""


def phase_in(folder: Path) -> object:
    """The phase that the only rank has told."""
    (document,) = read_heartbeats(folder).values()
    return document["phase"]


@pytest.mark.parametrize(("ranks", "seconds"), [(2, 0), (64, 0), (1000, 1.25), (8000, 10)])
def test_all_ranks_together_write_at_a_bounded_rate(ranks: int, seconds: float) -> None:
    assert pause_s(ranks) == seconds


@pytest.mark.parametrize(("pause", "first"), [(0.0, "three"), (3.0, "one")])
def test_what_is_held_back_is_written_while_the_rank_waits(tmp_path: Path, pause: float, first: str) -> None:
    command = [sys.executable, "-c", RANK, str(tmp_path), str(pause)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as rank:
        assert rank.stdout is not None
        assert rank.stdout.readline().decode() == f"{first}\n"
        assert wait_until(lambda: phase_in(tmp_path) == "three")
        assert rank.poll() is None
        rank.communicate(b"end\n", timeout=PATIENCE_S)
    (document,) = read_heartbeats(tmp_path).values()
    assert (document["phase"], document["step"]) == ("three", 3)


WRITER = """
import sys
from envlock.probe.node_log import append
for number in range(int(sys.argv[2])):
    append(sys.argv[1], '{"host": "n", "pid": %s, "step": %d, "set": [["facts", "long", "%s"]]}'
           % (sys.argv[3], number, "x" * 20000))
"""


def test_ranks_of_one_node_share_its_file(tmp_path: Path) -> None:
    """Lines as long as results, of several processes at once: all come whole, into one file."""
    command = [sys.executable, "-c", WRITER, str(tmp_path), "200"]
    writers = [subprocess.Popen([*command, str(pid)]) for pid in range(1, 5)]
    assert [writer.wait(timeout=PATIENCE_S) for writer in writers] == [0] * 4
    (file,) = tmp_path.iterdir()
    lines = [line for line in file.read_text().splitlines() if line]
    assert len(lines) == 800
    assert all(json.loads(line)["set"] == [["facts", "long", "x" * 20000]] for line in lines)
    found = read_heartbeats(tmp_path)
    assert sorted(found) == [f"n-{pid}" for pid in range(1, 5)]
    assert {document["step"] for document in found.values()} == {199}


def test_a_line_that_was_cut_off_takes_no_other_with_it(tmp_path: Path) -> None:
    append(str(tmp_path), '{"host": "n", "pid": 1, "step": 1, "set": [["mpi", "rank", 3]]}')
    (file,) = tmp_path.iterdir()
    logs = NodeLogs(tmp_path)
    assert logs.look() == {"n-1"}
    with file.open("a") as stream:
        stream.write('\n{"host": "n", "pid": 2, "st')
    assert logs.look() == set()
    append(str(tmp_path), '{"host": "n", "pid": 1, "step": 2, "set": [["mpi", "size", 4]]}')
    append(str(tmp_path), '{"host": "n", "pid": 1, "stacks": "Thread"}')
    assert logs.look() == {"n-1"}
    assert logs.documents["n-1"]["mpi"] == {"rank": 3, "size": 4}
    assert logs.documents["n-1"]["step"] == 2
    assert logs.stacks == {"n-1": "Thread"}


def test_only_what_changed_is_told_again(tmp_path: Path) -> None:
    heart = Heartbeat(str(tmp_path), Placement("generic", 0, 2, 0, {}), {}, 60.0, 0.0, ())
    heart.document["facts"]["large"] = "x" * 5000
    heart.beat("one")
    heart.document["mpi"]["size"] = 2
    heart.beat("two")
    faulthandler.cancel_dump_traceback_later()
    (file,) = tmp_path.iterdir()
    first, second = (line for line in file.read_text().splitlines() if line)
    assert len(first) > 5000
    assert json.loads(second)["set"] == [["mpi", "size", 2]]
    (document,) = read_heartbeats(tmp_path).values()
    assert document["facts"] == {"large": "x" * 5000}


HANGING = """
import sys, time
from envlock.edges.ranks.native_stacks import stack_tools
from envlock.probe.heartbeat import Heartbeat
from envlock.probe.placement import Placement
place = Placement("generic", 0, 2, int(sys.argv[2]), {})
heart = Heartbeat(sys.argv[1], place, {}, 1.0, 0.0, stack_tools=[list(tool) for tool in stack_tools()])
heart.beat("waiting")
time.sleep(600)
"""


@pytest.mark.parametrize(("local_rank", "told"), [(0, True), (4, False)])
def test_a_rank_near_its_deadline_tells_its_stacks_below_python(
    tmp_path: Path, local_rank: int, told: bool
) -> None:
    logs = NodeLogs(tmp_path)

    def stacks(ending: str) -> list[str]:
        logs.look()
        return [text for name, text in logs.stacks.items() if text and name.endswith(ending)]

    with subprocess.Popen([sys.executable, "-c", HANGING, str(tmp_path), str(local_rank)]) as rank:
        assert wait_until(lambda: stacks(str(rank.pid)))
        if told:
            assert wait_until(lambda: stacks(" native"))
        rank.kill()
    assert ["sleep" in text for text in stacks(" native")] == [True] * told


STOPPING = """
import ctypes, os, sys, time
libc = ctypes.CDLL(None, use_errno=True)
for thread in os.listdir("/proc/%s/task" % sys.argv[1]):
    assert libc.ptrace(16, int(thread), 0, 0) == 0  # PTRACE_ATTACH, which stops it
    os.waitpid(int(thread), 0x40000000)  # __WALL: all of its threads
time.sleep(600)
"""
LOOKED_AT = """
import sys, threading, time
from envlock.probe import native_stacks
native_stacks.LIMIT_S = 2
threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
print(native_stacks.look([[sys.executable, "-c", sys.argv[1]]]), flush=True)
"""


def test_a_tool_that_stops_a_rank_and_hangs_is_ended() -> None:
    """As gdb may: the rank itself, all of whose threads are stopped, could wait for no limit."""
    done = subprocess.run(
        [sys.executable, "-c", LOOKED_AT, STOPPING],
        stdout=subprocess.PIPE,
        timeout=PATIENCE_S / 10,
        check=True,
    )
    assert done.stdout.decode().endswith(": took longer than 2 s\n")
