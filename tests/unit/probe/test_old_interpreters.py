"""The probe on every interpreter that this machine has; those that it lacks are skipped by name."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from envlock.edges.ranks.heartbeats import read_heartbeats
from tests.patience import PATIENCE_S
from tests.toy_environment import ToyEnvironment, write_plan

pytestmark = pytest.mark.processes

RELEASES = ("3.6", "3.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14")


@pytest.fixture(params=RELEASES)
def interpreter(request: pytest.FixtureRequest) -> str:
    release = request.param
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for path in sorted(pyenv.glob(f"{release}.*/bin/python")):
        return str(path)
    found = shutil.which(f"python{release}")
    if found is None or "shims" in found:
        pytest.skip(f"no Python {release} on this machine")
    return found


def test_one_process(interpreter: str, one_process: Callable[..., Any], toys: ToyEnvironment) -> None:
    toys.install("toy", "VALUE = 1\n")
    with (toys.site / "toy-1.0.dist-info/RECORD").open("a") as record:
        record.write("\0" * 99)  # as a node that goes down leaves it
    toys.install("broken", "raise RuntimeError('on purpose')\n")
    checks = one_process("toy", "broken", python=interpreter)
    assert checks[("P1", "imports")]["outcome"] == "failed"
    assert "broken: RuntimeError: on purpose" in checks[("P1", "imports")]["message"]
    assert checks[("P3", "native libraries")]["outcome"] == "not-applicable"
    foreign = checks[("S7", "isolation")]["details"]["foreign"]
    assert foreign == [str(toys.site)]


def test_rank(interpreter: str, probe: Path, toys: ToyEnvironment, tmp_path: Path) -> None:
    toys.install_mpi()
    plan = write_plan(tmp_path / "plan.json", back_ends=["mpi4py"], ranks=1, max_bytes=4096)
    out = tmp_path / "out"
    out.mkdir()
    command = [interpreter, str(probe), "local", "--ranks", "1", "--", "rank", "--plan", str(plan)]
    environment = {**os.environ, "PYTHONPATH": str(toys.site), "SLURM_PROCID": "7"}
    subprocess.run([*command, "--out-dir", str(out)], env=environment, check=True, timeout=PATIENCE_S)
    (found,) = read_heartbeats(out).values()
    document: Any = found
    assert document["done"]
    assert document["launcher"]["source"] == "generic"
    assert document["mpi"]["library"] == "Toy MPI 1.0, of no use"
    result = document["back_ends"]["mpi4py"]
    assert (result["outcome"], result["wrong"], result["reductions"]) == ("passed", [], 24)
