"""What a conda environment holds in exact versions."""

from __future__ import annotations

import pytest

from envlock.lifecycle.conda_pins import conda_listing
from envlock.model.component import Via
from envlock.model.published.listing import Listed, Listing
from tests.shipped import KNOWLEDGE

KIND = "a conda environment file"
PIP = Listing(kind="requirements", distributions=(Listed(name="horovod", version="0.21.0"),), complete=False)


@pytest.mark.parametrize(
    ("spec", "name", "version"),
    [
        ("pytorch=1.7.1=py3.8_cuda11.0.221_cudnn8.0.5_0", "torch", "1.7.1"),
        ("pytorch==1.7", "torch", "1.7"),
        ("pytorch=1.7.1", "torch", "1.7.1"),
        ("pytorch=1.7", "", ""),
        ("pytorch>=1.7.1", "", ""),
        ("pytorch", "", ""),
    ],
)
def test_a_pin_of_condas_names_one_release(spec: str, name: str, version: str) -> None:
    found = conda_listing(KIND, [spec], PIP, KNOWLEDGE)
    built = [one for one in found.distributions if one.via is Via.SITE]
    assert [(one.name, one.version) for one in built] == ([(name, version)] if name else [])
    assert (f"{spec} (a range)" in found.passed_over) is not bool(name)


def test_the_interpreter_and_what_is_of_the_machine_are_components() -> None:
    specs = [
        "python=3.8",
        "cudatoolkit=11.0",
        "mpi=1.0=openmpi",
        "openmpi=4.0.3=h1_1",
        "zlib=1.2.13=h5_0",
        "hdf5=1.14.3=nompi_h4f84152_101",
        "pip",
    ]
    found = conda_listing(KIND, specs, PIP, KNOWLEDGE)
    assert {(one.name, one.version) for one in found.systems} == {
        ("python", "3.8"),
        ("cuda", "11.0"),
        ("openmpi", "4.0.3"),
    }
    assert found.distributions == PIP.distributions
    assert found.passed_over == ("mpi=1.0=openmpi (a range)", "zlib, hdf5 (no Python packages)")
    assert (found.kind, found.complete) == (KIND, False)


@pytest.mark.parametrize(
    ("specs", "cuda"),
    [
        (("pytorch=1.7.1=py3.8_cuda10.1.243_cudnn7.6.3_0", "torchvision=0.8.2=py38_cu101"), ["10.1"]),
        (("tensorflow=2.9.1=cuda112py39h01bd6f0_0", "cudatoolkit=11.8.0=h4ba93d1_12"), ["11.8.0"]),
        (("jaxlib=0.4.31=cpu_py312h4008524_0", "pytorch=1.7.1"), []),
    ],
)
def test_where_no_cuda_is_listed_it_is_that_of_the_builds(specs: tuple[str, ...], cuda: list[str]) -> None:
    systems = conda_listing(KIND, specs, PIP, KNOWLEDGE).systems
    assert [(one.name, one.version, one.via) for one in systems] == [("cuda", one, Via.SITE) for one in cuda]
