# ruff: noqa: E501 - one stack on a line
"""Combinations that were built and shipped by others must not be refused."""

from __future__ import annotations

import pytest

from envlock.judging.judge import judge
from envlock.model.component import Via
from envlock.model.knowing.finding import Chosen, Verdict
from tests.shipped import KNOWLEDGE

CONTAINERS = """
0.13.11 tensorflow-gpu==1.9.0 cuda==9.0 cudnn==7.0.5 nccl==2.2.12 openmpi==3.0.0 python==3.5
0.15.2 tensorflow-gpu==1.11.0 cuda==9.0 cudnn==7.3.1 nccl==2.3.5 openmpi==3.1.2 python==3.5
0.16.1 tensorflow-gpu==1.12.0 torch==1.0.0 cuda==9.0 cudnn==7.4.1 nccl==2.3.7 openmpi==4.0.0 python==3.5
0.16.4 tensorflow-gpu==1.12.0 torch==1.1.0 mxnet-cu90==1.4.1 cuda==9.0 nccl==2.3.7 openmpi==4.0.0 python==3.5
0.17.1 tensorflow-gpu==1.14.0 torch==1.2.0 mxnet-cu100==1.5.0 cuda==10.0 nccl==2.4.7 openmpi==4.0.0 python==3.6
0.19.5 tensorflow==2.1.0 torch==1.4.0 cuda==10.1 cudnn==7.6.5 nccl==2.4.8 openmpi==4.0.0 python==3.6
0.21.3 tensorflow==2.3.0 torch==1.6.0 mxnet-cu101==1.6.0.post0 cuda==10.1 nccl==2.7.8 openmpi==4.0.0 python==3.7
0.23.0 tensorflow==2.5.0 torch==1.8.1+cu111 mxnet-cu112==1.8.0.post0 cuda==11.2.2 nccl==2.8.4 openmpi==3.0.0 python==3.7
0.25.0 tensorflow==2.6.5 torch==1.8.1+cu111 cuda==11.2.2 cudnn==8.1.1 nccl==2.8.4 openmpi==3.0.0 python==3.8
0.28.1 tensorflow==2.9.2 torch==1.12.1+cu113 mxnet-cu112==1.9.1 cuda==11.3.1 nccl==2.9.9 openmpi==4.1.4 python==3.8
"""
"""Horovod's own release containers, from the Dockerfiles at its tags."""

TESTED = """
0.19.5 tensorflow==1.15.0 keras==2.3.1 torch==1.4.0+cpu mxnet==1.5.0 mpich==3.3 python==3.6
0.22.1 tensorflow-gpu==2.4.1 keras==2.4.3 torch==1.8.1+cu111 pytorch-lightning==1.2.9 mxnet-cu112==1.8.0.post0 openmpi==3.0.0 python==3.8
0.25.0 tensorflow-gpu==2.6.5 keras==2.6.0 torch==1.9.1+cu102 pytorch-lightning==1.5.9 mxnet-cu101==1.7.0.post1 python==3.8
0.25.0 tensorflow-cpu==2.8.2 keras==2.8.0 torch==1.11.0+cpu pytorch-lightning==1.5.9 mxnet==1.9.1 pyspark==3.2.1 mpich==3.3 python==3.8
0.28.1 tensorflow-cpu==2.10.1 keras==2.10.0 torch==1.12.1+cpu mxnet==1.7.0.post2 pyspark==3.4.0 python==3.8
0.28.1 tensorflow-gpu==2.10.1 keras==2.10.0 torch==1.12.1+cu102 pytorch-lightning==1.5.9 mxnet-cu101==1.7.0.post1 python==3.8
0.28.1 tensorflow-cpu==2.12.0 keras==2.12.0 torch==2.0.0+cpu pytorch-lightning==1.5.9 mxnet==1.9.1 pyspark==3.4.0 mpich==3.3 python==3.8
"""
"""Rows of Horovod's own tests, from docker-compose.test.yml at its tags."""

MODULES = """
0.18.2 tensorflow==1.15.0 openmpi==3.1.4 gcc==8.3.0 cuda==10.1 python==3.7.4
0.19.1 tensorflow==2.1.0 openmpi==3.1.4 gcc==8.3.0 cuda==10.1 python==3.7.4
0.20.3 tensorflow==2.3.1 openmpi==4.0.3 gcc==9.3.0 python==3.8.2
0.21.1 torch==1.7.1 openmpi==4.0.3 gcc==9.3.0 python==3.8.2
0.21.3 tensorflow==2.3.1 openmpi==4.0.3 gcc==9.3.0 nccl==2.8.3 python==3.8.2
0.22.1 tensorflow==2.5.0 cuda==11.1.1 cudnn==8.0.4 nccl==2.8.3 openmpi==4.0.5 gcc==10.2.0 cmake==3.18.4 python==3.8.6
0.23.0 torch==1.10.0 cuda==11.3.1 cudnn==8.2.1 nccl==2.10.3 openmpi==4.1.1 gcc==10.3.0 cmake==3.20.1 python==3.9.5
0.28.1 tensorflow==2.11.0 cuda==11.7.0 cudnn==8.4.1 nccl==2.12.12 openmpi==4.1.4 gcc==11.3.0 protobuf==3.19.4 h5py==3.7.0 python==3.10.4
0.28.1 torch==1.13.1 cuda==11.7.0 nccl==2.12.12 cmake==3.23.1 gcc==11.3.0 openmpi==4.1.4 python==3.10.4
"""
"""EasyBuild's published Horovod modules, where frameworks were built from source too."""


def stacks(text: str, *, built: bool) -> list[tuple[str, dict[str, tuple[Chosen, ...]]]]:
    found = []
    for line in text.strip().splitlines():
        horovod, *pins = line.split()
        stack = {"horovod": (Chosen(version=horovod, via=Via.BUILD),)}
        for pin in pins:
            name, _, version = pin.partition("==")
            system = name in KNOWLEDGE.systems
            stack[name] = (Chosen(version=version, via=Via.SITE if system or built else Via.WHEEL),)
        found.append((line, stack))
    return found


@pytest.mark.parametrize(
    ("line", "stack"),
    [*stacks(CONTAINERS, built=False), *stacks(TESTED, built=False), *stacks(MODULES, built=True)],
    ids=str,
)
def test_it_is_not_refused(line, stack) -> None:
    judgement = judge(stack, KNOWLEDGE)
    told = [(finding.fact, finding.message) for finding in judgement.findings]
    assert judgement.verdict is not Verdict.INCOMPATIBLE, told


LIBRARIES = """
openmpi==4.1.1 ucx==1.11.2 pmix==4.1.0 libfabric==1.13.2 gcc==11.2.0
openmpi==4.1.5 ucx==1.14.1 pmix==4.2.4 libfabric==1.18.0 gcc==12.3.0
openmpi==5.0.3 ucx==1.16.0 pmix==5.0.2 libfabric==1.21.0 gcc==13.3.0
openmpi==5.0.8 ucx==1.19.0 pmix==5.0.8 hwloc==2.12.1 gcc==14.3.0
openmpi==5.0.10 ucx==1.20.0 ucc==1.7.0 pmix==6.1.0 prrte==4.1.0 hwloc==2.13.0 libfabric==2.5.0 gcc==15.2.0
mpich==4.3.0 ucx==1.18.0 hwloc==2.11.2 cuda==12.8.0 gcc==14.2.0
"""
"""EasyBuild's published Open MPI modules, some of them with patches of its own."""


@pytest.mark.parametrize("line", LIBRARIES.strip().splitlines())
def test_a_module_of_an_mpi_is_not_refused(line) -> None:
    pins = (pin.partition("==") for pin in line.split())
    stack = {name: (Chosen(version=version, via=Via.SITE),) for name, _, version in pins}
    judgement = judge(stack, KNOWLEDGE)
    told = [(finding.fact, finding.message) for finding in judgement.findings]
    assert judgement.verdict is not Verdict.INCOMPATIBLE, told
