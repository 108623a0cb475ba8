"""Supervision of real processes: the probe itself under its own launcher, with an MPI that is a toy."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from envlock.edges.launchers import LAUNCHERS
from envlock.edges.ranks.heartbeats import read_heartbeats
from envlock.edges.ranks.probe_archive import write_probe
from envlock.edges.ranks.supervision import supervise
from envlock.lifecycle.evidence.checks import assemble
from envlock.model.project.launch import RankJob
from envlock.model.proving.probing import Deadlines, Ending, OneProcess, Plan, Supervision, encode_plan
from envlock.model.proving.rank_result import decode_rank
from envlock.model.proving.report import Check, Outcome
from tests.patience import PATIENCE_S, deadlines, wait_until
from tests.shipped import KNOWLEDGE
from tests.toy_environment import ToyVirtualEnvironment

pytestmark = pytest.mark.processes

SIGNATURES = KNOWLEDGE.running.signatures
NONE: Mapping[str, object] = {}
Run = Callable[..., tuple[Supervision, dict[str, Check]]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs toy ranks under supervision; the supervision and the checks by id."""
    toys = ToyVirtualEnvironment(tmp_path)
    toys.install_mpi()
    out = tmp_path / "out"
    probe = tmp_path / "probe.pyz"
    write_probe(probe)

    def start(
        *, ranks: int, phase_s: float = PATIENCE_S, sabotage: Mapping[str, object] = NONE
    ) -> tuple[Supervision, dict[str, Check]]:
        plan = Plan(
            distributions=(),
            back_ends=("mpi4py",),
            ranks=ranks,
            max_bytes=1024,
            deadlines=Deadlines(phase=phase_s),
            sabotage=sabotage,
        )
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        (tmp_path / "plan.json").write_text(json.dumps(encode_plan(plan)))
        program = (
            toys.python,
            str(probe),
            "rank",
            "--plan",
            str(tmp_path / "plan.json"),
            "--out-dir",
            str(out),
        )
        supervision = supervise(
            LAUNCHERS["local"](RankJob(ranks=ranks, program=program)),
            environment={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
            deadline_s=2 * PATIENCE_S,
            phase_deadline_s=phase_s,
            out_dir=out,
            ranks=ranks,
        )
        found = tuple(decode_rank(one, file=name) for name, one in read_heartbeats(out).items())
        checks = assemble(
            OneProcess(document={"checks": []}), found, supervision, plan, signatures=SIGNATURES
        )
        return supervision, {check.id: check for check in reversed(checks)}

    return start


def gone(pid: int) -> bool:
    """Whether a process has ended; a signal takes effect when the machine gets round to it."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return True
    return state.rsplit(")", 1)[1].split()[0] == "Z"


def test_one_rank_ends_well_and_shows_nothing_of_communication(run: Run) -> None:
    supervision, checks = run(ranks=1)
    assert (supervision.ending, supervision.status, supervision.unfinished) == (Ending.EXITED, 0, ())
    assert [check for check in checks.values() if not check.outcome.good] == []
    assert checks["C2"].outcome is Outcome.NOT_APPLICABLE
    assert checks["C2"].message.startswith("one rank alone has nobody to communicate with; ")


def test_a_wrong_sum_is_found(run: Run) -> None:
    _, checks = run(ranks=1, sabotage={"wrong-sum": 0})
    assert checks["C2"].outcome is Outcome.FAILED
    assert "expected 2, got 3" in checks["C2"].message


def test_worlds_of_one_are_diagnosed(run: Run) -> None:
    _, checks = run(ranks=2)
    assert checks["L1"].outcome is Outcome.FAILED
    assert "2 worlds of size 1 instead of one of 2" in checks["L1"].message
    assert "Toy MPI 1.0" in checks["L1"].message
    assert checks["C2"].outcome is Outcome.FAILED


def test_a_hang_is_a_result_with_name_phase_and_stack(run: Run) -> None:
    sabotage = {"hang": 0, "phase": "mpi4py: allreduce of 1024"}
    for phase_s in deadlines(3.0):
        supervision, checks = run(ranks=1, phase_s=phase_s, sabotage=sabotage)
        assert supervision.ending is Ending.PHASE_DEADLINE
        if any("sabotage.py" in text for text in supervision.stacks.values()):
            break
    (left,) = supervision.unfinished
    assert (left.rank, left.phase) == (0, "mpi4py: allreduce of 8 bytes")
    assert "sabotage.py" in next(iter(supervision.stacks.values()))
    (native,) = (text for name, text in supervision.stacks.items() if name.endswith(" native"))
    assert "sleep" in native
    assert wait_until(lambda: gone(left.pid))
    assert checks["W1"].outcome is Outcome.TIMED_OUT


def test_a_killed_rank_is_named(run: Run) -> None:
    supervision, checks = run(ranks=2, sabotage={"die": 0, "phase": "mpi4py: allreduce of 1024"})
    assert supervision.ending is Ending.EXITED
    assert supervision.status not in (0, None)
    assert checks["W1"].outcome is Outcome.CRASHED
    assert "was last in 'mpi4py: allreduce of 8 bytes'" in checks["W1"].message


def test_a_launcher_that_does_not_exist(tmp_path: Path) -> None:
    found = supervise(
        ["no-such-launcher"],
        environment={},
        deadline_s=PATIENCE_S,
        phase_deadline_s=PATIENCE_S,
        out_dir=tmp_path,
        ranks=2,
    )
    assert (found.ending, found.reported) == (Ending.NOT_STARTED, 0)
    assert "no-such-launcher" in found.output


def test_a_launcher_that_starts_nobody_ends_at_the_deadline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ignores the polite end, and has a child that would outlive it."""
    monkeypatch.setattr("envlock.edges.ranks.supervision._GRACE_S", 0.5)
    script = "trap '' TERM; sleep 3600 & echo $! > child; echo waiting for slots; wait; wait"
    for deadline_s in deadlines(1.0):
        found = supervise(
            ["sh", "-c", f"cd {tmp_path}; {script}"],
            environment=dict(os.environ),
            deadline_s=deadline_s,
            phase_deadline_s=PATIENCE_S,
            out_dir=tmp_path,
            ranks=2,
        )
        assert found.ending is Ending.OVERALL_DEADLINE
        if found.output:
            break
    assert found.output == "waiting for slots\n"
    assert wait_until(lambda: gone(int((tmp_path / "child").read_text())))


def test_ranks_end_with_a_verification_that_was_killed(tmp_path: Path) -> None:
    """The kernel ends the launcher then, and the probe's own launcher its ranks."""
    rank = tmp_path / "rank"
    told = "open('pid-' + os.environ['RANK'], 'w').write(str(os.getpid()))"
    rank.write_text(f"import os, time; {told}; time.sleep(3600)")
    program = f"""
import os, sys
from pathlib import Path
from envlock.edges.ranks.supervision import supervise
start = "import sys; sys.argv[0] = {str(rank)!r}; from envlock.probe.local import Share, run_local;"
start += "run_local(Share(2, 0, 2, False), [])"
supervise([sys.executable, "-c", start], environment=dict(os.environ), deadline_s=3600, phase_deadline_s=3600,
          out_dir=Path(), ranks=2)
"""
    with subprocess.Popen([sys.executable, "-c", program], cwd=tmp_path) as verification:
        pids = [tmp_path / f"pid-{number}" for number in range(2)]
        assert wait_until(lambda: all(path.is_file() and path.read_text() for path in pids))
        verification.kill()
    assert wait_until(lambda: all(gone(int(path.read_text())) for path in pids))


def test_a_launcher_that_refuses(tmp_path: Path) -> None:
    found = supervise(
        ["sh", "-c", "echo no slots; exit 3"],
        environment=dict(os.environ),
        deadline_s=PATIENCE_S,
        phase_deadline_s=PATIENCE_S,
        out_dir=tmp_path,
        ranks=2,
    )
    assert (found.ending, found.status, found.output) == (Ending.EXITED, 3, "no slots\n")
