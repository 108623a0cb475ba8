"""What names of a site's modules tell: EasyBuild's generations, and the CUDA that comes along."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import pytest

from envlock.model.project.target import Offer
from envlock.model.project.toolchains import cuda_of, generation_of, with_toolchains
from tests.memory import machine
from tests.shipped import KNOWLEDGE

KNOWN = KNOWLEDGE.detection.toolchains


@pytest.mark.parametrize(
    ("module", "gcc"),
    [
        ("OpenMPI/4.1.4-GCC-12.2.0", "12.2.0"),
        ("GCC/10.2.0", "10.2.0"),
        ("GCC/7.3.0-2.30", "7.3.0"),
        ("mpi/OpenMPI/4.0.5-GCC-10.2.0", "10.2.0"),
        ("NCCL/2.16.2-GCCcore-12.2.0-CUDA-12.0.0", "12.2.0"),
        ("foss/2022b", "12.2.0"),
        ("PyTorch/1.12.0-foss-2022a-CUDA-11.7.0", "11.3.0"),
        ("OpenMPI/4.0.5-gcccuda-2020b", "10.2.0"),
        ("impi/2019.9.304-iccifort-2020.4.304", "10.2.0"),
        ("impi/2021.2.0-intel-compilers-2021.2.0", "10.3.0"),
        ("impi/2021.2.0-intel-compilers-2021.2.0.1", ""),
        ("CUDA/11.8.0", ""),
        ("openmpi/4.1.6-gcc-12.3.0", ""),  # Spack's, whose modules stand for themselves
        ("gcc/12.2.0", ""),
        ("foss/1999a", ""),
    ],
)
def test_the_generation_of_a_module(module: str, gcc: str) -> None:
    assert generation_of([module], KNOWN) == gcc


def test_the_first_module_that_says_it_counts() -> None:
    assert generation_of(["hpc/2024", "GCC/12.2.0", "OpenMPI/4.1.4"], KNOWN) == "12.2.0"
    assert generation_of([], KNOWN) == ""


@pytest.mark.parametrize(
    ("module", "cuda"),
    [
        ("NCCL/2.8.3-GCCcore-10.2.0-CUDA-11.1.1", "11.1.1"),
        ("UCX-CUDA/1.13.1-GCCcore-12.2.0-CUDA-12.0.0", "12.0.0"),
        ("CUDA/11.8.0", ""),
        ("NCCL/2.8.3", ""),
    ],
)
def test_the_cuda_that_a_module_brings_along(module: str, cuda: str) -> None:
    assert cuda_of([module]) == cuda


def test_offers_have_it_as_properties_unless_they_say_otherwise() -> None:
    offers = [
        Offer(component="openmpi", version="4.1.4", modules=("OpenMPI/4.1.4-GCC-12.2.0",)),
        Offer(component="nccl", version="2.8.3", modules=("NCCL/2.8.3-GCCcore-10.2.0-CUDA-11.1.1",)),
        Offer(component="cuda", version="11.1.1", modules=("CUDA/11.1.1-GCC-10.2.0",)),
        Offer(
            component="gcc",
            version="9.3.0",
            modules=("GCC/9.3.0",),
            properties=MappingProxyType({"toolchain": "ours"}),
        ),
        Offer(component="mpich", version="4.1", prefix="/usr"),
    ]
    target = with_toolchains(replace(machine(), offers=tuple(offers)), KNOWN)
    assert {one.component: dict(one.properties) for one in target.offers} == {
        "openmpi": {"toolchain": "12.2.0"},
        "nccl": {"toolchain": "10.2.0", "cuda": "11.1.1"},
        "cuda": {"toolchain": "10.2.0"},
        "gcc": {"toolchain": "ours"},
        "mpich": {},
    }
