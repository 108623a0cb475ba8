from __future__ import annotations

import io
from dataclasses import replace

from rich.console import Console

from envlock.model.decode import Table
from envlock.model.project.target import Offer, Target, decode_target
from envlock.render.target import target_document, target_text
from tests.memory import machine

EXPECTED = """\
gpu: Debian 12, x86_64

 component   version      where                     found by
 ────────────────────────────────────────────────────────────────────
 glibc       2.36                                   confstr
 driver      535.104.05                             NVML
 gpu_cc      8.0                                    NVML: NVIDIA A100
 openmpi     4.1.4        module load gcc openmpi   [written] by hand
 mpich       4.2                                    x; mpi-cuda yes
 gcc         12.2.0       /usr                      gcc --version


 python   path
 ────────────────────────────
 3.11.7   /usr/bin/python3.11

"""


def node() -> Target:
    offers = (
        Offer(component="glibc", version="2.36", note="confstr"),
        Offer(component="driver", version="535.104.05", note="NVML"),
        Offer(component="gpu_cc", version="8.0", note="NVML: NVIDIA A100"),
        Offer(component="openmpi", version="4.1.4", modules=("gcc", "openmpi"), note="[written] by hand"),
        Offer(component="mpich", version="4.2", note="x", properties={"mpi-cuda": "yes"}),
        Offer(component="gcc", version="12.2.0", prefix="/usr", note="gcc --version"),
    )
    return replace(machine("3.11.7"), name="gpu", offers=offers)


def printed(target: Target) -> str:
    stream = io.StringIO()
    target_text(target, Console(file=stream, width=100, highlight=False, emoji=False), no_node="")
    return "".join(line.rstrip() + "\n" for line in stream.getvalue().splitlines())


def test_text():
    assert printed(node()) == EXPECTED


def test_a_node_without_gpus_says_so():
    assert "no NVIDIA or AMD GPU" in printed(machine())


def test_the_document_reads_back():
    document = target_document(node(), no_node="")
    assert (document.pop("schema"), document.pop("name")) == ("envlock/detect/1", "gpu")
    assert decode_target(Table(document, file="x"), "gpu", ()) == node()
