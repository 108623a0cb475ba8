"""The probe on two real ranks of the test environment: MPI from its wheel, gloo over plain processes."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from envlock.edges.launchers import LAUNCHERS
from envlock.edges.launchers.mpis import own_variables
from envlock.edges.ranks.heartbeats import read_heartbeats
from envlock.edges.ranks.probe_archive import write_probe
from envlock.edges.ranks.supervision import supervise
from envlock.lifecycle.evidence.checks import assemble
from envlock.lifecycle.evidence.references import read_probe
from envlock.model.project.launch import RankJob
from envlock.model.proving.probing import Deadlines, OneProcess, Plan, encode_plan
from envlock.model.proving.rank_result import decode_rank
from envlock.model.proving.report import Check, Outcome
from envlock.probe import sabotage as controls
from tests.patience import PATIENCE_S, deadlines

pytestmark = pytest.mark.processes

BIN = Path(sys.prefix) / "bin"


def checks_of(
    folder: Path,
    back_end: str,
    name: str,
    phase_s: float = PATIENCE_S,
    python: Path = BIN / "python",
    **sabotage: object,
) -> dict[str, Check]:
    """Two ranks over one back end; checks by name."""
    write_probe(folder / "probe.pyz")
    plan = Plan(
        distributions=(),
        back_ends=(back_end,),
        deadlines=Deadlines(phase=phase_s),
        sabotage=sabotage,
        # Times take a while: they are taken where nothing is sabotaged, and where they are.
        timing=not sabotage or "timing" in str(sabotage.get("phase")),
        max_bytes=8192,
    )
    (folder / "plan.json").write_text(json.dumps(encode_plan(plan)))
    out = folder / "ranks"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    launcher = LAUNCHERS[name]
    probe = [str(python), str(folder / "probe.pyz")]
    program = (*probe, "rank", "--plan", str(folder / "plan.json"), "--out-dir", str(out))
    command = launcher(RankJob(ranks=2, program=program))
    if name == "mpirun":
        command[0] = str(BIN / command[0])
    supervision = supervise(
        command,
        environment={**os.environ, **own_variables(name), "PATH": f"{BIN}:{os.environ['PATH']}"},
        deadline_s=2 * PATIENCE_S,
        phase_deadline_s=phase_s,
        out_dir=out,
        ranks=2,
    )
    ranks = tuple(decode_rank(document, file=name) for name, document in read_heartbeats(out).items())
    return {check.name: check for check in assemble(OneProcess(), ranks, supervision, plan)}


@pytest.mark.skipif(
    find_spec("mpi4py") is None or not (BIN / "mpirun").exists(), reason="the test extra's MPI is not here"
)
def test_mpi_from_its_wheel(tmp_path: Path):
    checks = checks_of(tmp_path, "mpi4py", "mpirun")
    assert checks["launch"].outcome is Outcome.PASSED, checks["launch"]
    assert checks["mpi4py allreduce"].outcome is Outcome.PASSED, checks["mpi4py allreduce"]


@pytest.mark.skipif(not (BIN / "mpirun").exists(), reason="the test extra's MPI is not here")
def test_a_python_path_of_one_rank_alone(tmp_path: Path):
    """As a file of a shell's start-up sets it on one node; the back end is not there, and not needed."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "bare")], check=True)
    python = tmp_path / "bare/bin/python"
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    (hooks / "sitecustomize.py").write_text(f"import sys\nsys.path.remove({str(hooks)!r})\n")
    shell = tmp_path / "bare/bin/shell"
    shell.write_text(
        f'#!/bin/sh\ntest "$OMPI_COMM_WORLD_RANK" = 1 && export PYTHONPATH={hooks}\nexec {python} "$@"\n'
    )
    shell.chmod(0o755)
    found = checks_of(tmp_path, "mpi4py", "mpirun", python=shell)["sameness"]
    told = f"{hooks}/sitecustomize.py, which ran when Python started"
    assert found.outcome is Outcome.FAILED
    assert (
        found.message
        == f"rank 1 on {socket.gethostname()} can import from outside of the environment: {told}"
    )


@pytest.mark.skipif(find_spec("torch") is None, reason="the test extra's torch is not here")
@pytest.mark.parametrize("sabotaged", [False, True])
def test_gloo_without_mpi(tmp_path: Path, sabotaged: bool):
    checks = checks_of(tmp_path, "torch-gloo", "local", **({"wrong-sum": 1} if sabotaged else {}))
    expected = Outcome.FAILED if sabotaged else Outcome.PASSED
    assert checks["torch-gloo allreduce"].outcome is expected, checks["torch-gloo allreduce"]


@pytest.mark.skipif(
    find_spec("mpi4py") is None or not (BIN / "mpirun").exists(), reason="the test extra's MPI is not here"
)
@pytest.mark.parametrize(
    ("sabotage", "check", "outcome", "message"),
    [
        ({"astray": 1}, "mpi4py replicas", Outcome.FAILED, "2 different models after training"),
        ({"slow": 1, "seconds": 0.01}, "stragglers", Outcome.WARNED, "rank 1 on "),
        (
            # Slow calls, so that it does not come to their end before it dies.
            {"die": 1, "phase": "mpi4py: timing single", "after": 0.001, "slow": 1, "seconds": 0.05},
            "supervision",
            Outcome.CRASHED,
            "was last in 'mpi4py: timing single",
        ),
        (
            {"hang": 1, "phase": "mpi4py: barrier storm"},
            "supervision",
            Outcome.TIMED_OUT,
            "rank 1 on {host} was last in 'mpi4py: iallreduce', where it is in ",
        ),
        (
            {"hang": 1, "phase": "mpi4py: barrier storm", "inside": True},
            "supervision",
            Outcome.TIMED_OUT,
            "rank 1 on {host} was last in 'mpi4py: barrier storm', where it is in ",
        ),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_every_sabotage_is_named(
    tmp_path: Path, sabotage: dict[str, object], check: str, outcome: Outcome, message: str
):
    expected = message.format(host=socket.gethostname())
    for phase_s in deadlines(5.0) if "hang" in sabotage else [PATIENCE_S]:
        found = checks_of(tmp_path, "mpi4py", "mpirun", phase_s, **sabotage)[check]
        assert found.outcome is outcome, found
        if expected in found.message:
            break
    assert expected in found.message


@pytest.mark.skipif(
    find_spec("mpi4py") is None or not (BIN / "mpirun").exists(), reason="the test extra's MPI is not here"
)
def test_what_was_loaded_is_told_before_what_may_hang(tmp_path: Path):
    checks_of(tmp_path, "mpi4py", "mpirun", 5.0, hang=1, phase="mpi4py: initialise", inside=True)
    told = read_heartbeats(tmp_path / "ranks").values()
    stood = [document for document in told if document["phase"] == "mpi4py: initialise"]
    assert stood
    assert all("changed_files" in document["facts"] for document in stood)


@pytest.mark.skipif(
    find_spec("mpi4py") is None or not (BIN / "mpirun").exists(), reason="the test extra's MPI is not here"
)
def test_ranks_are_timed_as_a_known_benchmark_times_them(tmp_path: Path):
    write_probe(tmp_path / "probe.pyz")
    plan = Plan(distributions=(), back_ends=("mpi4py",), calls={0: 5, 8: 5, 65536: 3}, sweeps=2)
    (tmp_path / "plan.json").write_text(json.dumps(encode_plan(plan)))
    launcher = LAUNCHERS["mpirun"]
    probe = (
        str(BIN / "python"),
        str(tmp_path / "probe.pyz"),
        "benchmark",
        "--plan",
        str(tmp_path / "plan.json"),
    )
    _, *arguments = launcher(RankJob(ranks=2, program=probe))
    done = subprocess.run(
        [str(BIN / "mpirun"), *arguments],
        env={**os.environ, **own_variables("mpirun")},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )
    found = read_probe(done.stdout)
    assert found is not None, done
    assert (found.ranks, [sorted(sweep) for sweep in found.sweeps]) == (2, [[0, 8, 65536]] * 2)
    assert all(0 < sweep[0] < 1 and 0 < sweep[65536] < 1 for sweep in found.sweeps)


def test_a_rank_that_drags_takes_longer_by_its_part():
    call = controls.dragged({"drag": 1, "part": 0.5}, 1, lambda: time.sleep(0.02))
    begin = time.perf_counter()
    call()
    assert time.perf_counter() - begin >= 0.03
    assert controls.dragged({"drag": 1}, 0, call) is call
