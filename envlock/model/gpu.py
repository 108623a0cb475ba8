"""GPUs as system components: NVIDIA's by compute capability, AMD's by LLVM target."""

from __future__ import annotations

from typing import NamedTuple

NVIDIA = "gpu_cc"
"""Compute capabilities are versions: code for 8.0 runs on 8.6 as well."""

AMD = "gpu_gfx"
"""LLVM targets are words: code for ``gfx90a`` runs on no other, neither older nor newer."""

GPUS = (NVIDIA, AMD)
"""Nodes of one target may have GPUs of several generations; an environment must run on each."""


class NodeGpu(NamedTuple):
    """One generation of the nodes' GPUs: the component that identifies it, and its version."""

    component: str
    version: str
