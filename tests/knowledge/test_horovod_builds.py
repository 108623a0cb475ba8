"""What Horovod is built with: what its operations shall run over, and what the MPI tells of itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envlock.app.checking.check import judge_combination
from envlock.model.locked.pins import Origin, Solved, Unsolvable
from envlock.model.project.manifest import decode_manifest
from envlock.model.project.target import Offer
from envlock.solve.request import Request
from envlock.solve.resolve import resolve
from tests.field import refused, versions
from tests.memory import MemoryCatalogue, machine
from tests.shipped import KNOWLEDGE


@pytest.mark.parametrize(
    ("version", "operations", "offers", "expected"),
    [
        ("0.19.5", "gloo", {}, {"HOROVOD_WITH_GLOO": "1", "HOROVOD_WITHOUT_MPI": "1"}),
        ("0.28.1", "gloo", {}, {"HOROVOD_CPU_OPERATIONS": "GLOO", "HOROVOD_WITHOUT_MPI": "1"}),
        ("0.28.1", "mpi", {"openmpi": "4.1.4"}, {"HOROVOD_WITHOUT_GLOO": "1", "HOROVOD_WITH_MPI": "1"}),
        ("0.18.2", "mlsl", {"openmpi": "4.1.4", "mlsl": "2019"}, {"HOROVOD_CPU_OPERATIONS": "MLSL"}),
        ("0.19.5", "oneccl", {"openmpi": "4.1.4", "oneccl": "2021.1"}, {"CCL_ROOT": "/opt/oneccl"}),
        (
            "0.19.5",
            "nccl",
            {"openmpi": "4.1.4", "cuda": "10.1", "nccl": "2.4.8"},
            {"HOROVOD_GPU_ALLREDUCE": "NCCL"},
        ),
        (
            "0.28.1",
            "nccl",
            {"openmpi": "4.1.4", "cuda": "11.8", "nccl": "2.15.5"},
            {"HOROVOD_GPU_OPERATIONS": "NCCL"},
        ),
    ],
)
def test_horovod_is_built_over_what_the_group_asks_for(
    version: str, operations: str, offers: dict[str, str], expected: dict[str, str]
) -> None:
    answer = solve_horovod(version, operations, offers)
    assert isinstance(answer, Solved), answer
    (plan,) = [pin.build for pin in answer.distributions if pin.component == "horovod"]
    assert plan is not None
    assert expected.items() <= plan.variables.items()
    assert plan.systems["horovod-ops"] == operations
    assert ("pypi:cmake" in {pin.component for pin in plan.requires}) is (
        operations == "gloo" or version >= "0.20"
    )
    assert ("openmpi" in plan.systems) is ("openmpi" in offers)
    (word,) = [pin for pin in answer.systems if pin.component == "horovod-ops"]
    assert word.origin is Origin.CHOICE


@pytest.mark.parametrize(
    ("version", "operations", "offers", "reason"),
    [
        ("0.16.4", "gloo", {}, "horovod-ops-gloo"),
        ("0.19.0", "mlsl", {"openmpi": "4.1.4", "mlsl": "2019"}, "horovod-ops-mlsl"),
        ("0.18.2", "mlsl", {"openmpi": "4.1.4"}, "horovod-ops mlsl: mlsl"),
        ("0.18.2", "oneccl", {"openmpi": "4.1.4", "oneccl": "2021.1"}, "horovod-ops-oneccl"),
        ("0.19.0", "oneccl", {"openmpi": "4.1.4"}, "horovod-ops oneccl: oneccl"),
        ("0.19.0", "nccl", {"openmpi": "4.1.4", "cuda": "10.1"}, "horovod-ops nccl: nccl"),
    ],
)
def test_horovod_over_what_is_not_to_be_had_is_refused(
    version: str, operations: str, offers: dict[str, str], reason: str
) -> None:
    assert reason in refused(solve_horovod(version, operations, offers))


@pytest.mark.parametrize(
    ("tensorflow", "openmpi", "edits"),
    [("2.8.4", "4.1.4", []), ("2.11.0", "4.1.4", ["mode=ctypes.RTLD_LOCAL"]), ("2.11.0", "2.1.6", [])],
)
def test_frameworks_of_two_cxx_interfaces_are_kept_apart(
    tensorflow: str, openmpi: str, edits: list[str]
) -> None:
    frameworks = {"torch": "1.13.1", "tensorflow": tensorflow}
    answer = solve_horovod("0.28.1", "mpi", {"openmpi": openmpi}, **frameworks)
    assert isinstance(answer, Solved), answer
    (plan,) = [pin.build for pin in answer.distributions if pin.component == "horovod"]
    assert plan is not None
    assert [edit.new for edit in plan.edits if edit.file == "horovod/common/basics.py"] == edits
    assert "horovod-two-cxx11-abis" not in {one.fact for one in answer.warned}


def solve_horovod(
    version: str, operations: str, offers: dict[str, str], **frameworks: str
) -> Solved | Unsolvable:
    names = ("cloudpickle", "psutil", "pyyaml", "six", "cffi", "wheel", "packaging")
    index = {
        "horovod": {version: {"files": [f"horovod-{version}.tar.gz"]}},
        "setuptools": {"59.8.0": {}},
        "cmake": {"3.25.0": {}},
        "numpy": {"1.21.6": {}},
        **{name: {"1.17.0": {}} for name in names},
        **{name: {release: {}} for name, release in frameworks.items()},
    }
    node = machine("3.7.16")
    placed = tuple(Offer(component=n, version=v, prefix=f"/opt/{n}") for n, v in offers.items())
    node = replace(node, offers=(*node.offers, *placed))
    requires = [f"horovod=={version}", *(f"{name}=={release}" for name, release in frameworks.items())]
    group = {"requires": requires, "system": [f"horovod-ops=={operations}"], "as-of": "none"}
    wishes = decode_manifest({"groups": {"g": group}}, "envlock.toml", KNOWLEDGE).group("g").wishes
    request = Request(wishes=wishes, target=node, interpreter=node.interpreters[0])
    return resolve(request, KNOWLEDGE, MemoryCatalogue(index))


@pytest.mark.parametrize(
    ("properties", "system", "facts"),
    [
        ({"mpi-headers": "no"}, "openmpi", ["mpi-headers-mpi4py"]),
        ({"mpi-threads": "single"}, "mpi-threads==multiple", ["mpi-threads"]),
        ({"mpi-threads": "multiple", "mpi-cuda": "no"}, "mpi-cuda==no", []),
    ],
)
def test_what_an_mpi_was_built_with_comes_with_it(
    properties: dict[str, str], system: str, facts: list[str]
) -> None:
    node = machine("3.7.16")
    offer = Offer(component="openmpi", version="4.1.4", prefix="/opt/mpi", properties=properties)
    node = replace(node, offers=(*node.offers, offer))
    group = {"requires": ["mpi4py==3.0.3"], "system": ["openmpi", system], "as-of": "none"}
    wishes = decode_manifest({"groups": {"g": group}}, "envlock.toml", KNOWLEDGE).group("g").wishes
    request = Request(wishes=wishes, target=node, interpreter=node.interpreters[0])
    index = {
        "mpi4py": {"3.0.3": {"files": ["mpi4py-3.0.3.tar.gz"]}},
        "setuptools": {"59.8.0": {}},
        "wheel": {"0.37": {}},
    }
    answer = resolve(request, KNOWLEDGE, MemoryCatalogue(index))
    if facts:
        assert all(fact in refused(answer) for fact in facts)
        return
    assert versions(answer)["mpi-cuda"] == "no"
    assert "mpi-threads" not in versions(answer)


def test_a_warning_on_the_thread_level_needs_the_target_alone() -> None:
    node = machine("3.7.16")
    offer = Offer(component="openmpi", version="4.1.4", properties={"mpi-threads": "funneled"})
    node = replace(node, offers=(*node.offers, offer))
    judgement = judge_combination(["horovod==0.19.0", "openmpi==4.1.4"], KNOWLEDGE, target=node).judgement
    assert "horovod-mpi-threads" in {finding.fact for finding in judgement.findings}
