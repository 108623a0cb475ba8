"""Times of real ranks against Intel MPI's own benchmark, and the comparison of stacks."""

from __future__ import annotations

import json

import pytest

from tests.live.conftest import ENVLOCK, Workplace, need_python

pytestmark = pytest.mark.live

_LARGE = 1 << 17
_MANIFEST = """\
[groups.mpi]
python = "3.11"
requires = ["mpi4py>=4.1"]
system = ["intelmpi"]
"""


@pytest.fixture(scope="module")
def intel(tmp_path_factory: pytest.TempPathFactory) -> Workplace:
    need_python("3.11")
    folder = tmp_path_factory.mktemp("intel")
    (folder / "envlock.toml").write_text(_MANIFEST)
    made = Workplace(folder)
    made.envlock("solve", "mpi")
    return made


def test_times_lie_near_those_of_imb_on_the_same_ranks(intel: Workplace):
    intel.run([str(ENVLOCK), "verify", "mpi"])
    report = json.loads((intel.folder / "locks/local/pylock.mpi.report.json").read_text())
    check = next(check for check in report["checks"] if check["name"] == "mpi4py timing")
    reference = check["details"]["reference"]
    assert reference["program"] == "IMB-MPI1"
    assert [row["bytes"] for row in reference["sizes"]][:2] == [8, 32]
    ratios = [row["ratio"] for row in reference["sizes"] if row["bytes"] >= _LARGE]
    assert 0.5 < min(ratios) < 2, ratios  # within a tenth on a machine at rest; others may use this one


def test_stacks_are_compared(intel: Workplace):
    document = intel.json("verify", "mpi", "--compare", "--max-bytes", "65536")
    assert document["complete"]
    assert [curve["mode"] for curve in document["curves"]["mpi4py"]] == ["single", "fused", "unfused"]
    assert {one["best"]["back_end"] for one in document["one_message"]} == {"mpi4py"}
    assert [step["ranks"] for step in document["scaling"][0]["steps"]] == [1, 2]
