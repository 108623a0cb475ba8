"""GPUs as system components: NVIDIA's by their compute capability, AMD's by their LLVM target."""

from __future__ import annotations

from typing import NamedTuple

NVIDIA = "gpu_cc"
"""Compute capabilities are versions: code for 8.0 runs on 8.6 as well."""

AMD = "gpu_gfx"
"""LLVM targets are words: code for ``gfx90a`` runs on no other, neither older nor newer."""

GPUS = (NVIDIA, AMD)
"""Nodes of one target may have GPUs of several generations; an environment must run on each."""


class NodeGpu(NamedTuple):
    """One generation of GPUs of the nodes: the component that tells it, and which."""

    component: str
    version: str
