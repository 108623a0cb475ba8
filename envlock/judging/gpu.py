"""The GPUs on which a published build can run."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from envlock.model.component import parse_version
from envlock.model.gpu import AMD, NVIDIA, NodeGpu
from envlock.model.knowing.carried import Bundle

_PTX = "+PTX"
_TOOLKITS = {NVIDIA: "cuda", AMD: "rocm"}
_LABELS = {NVIDIA: re.compile(r"cu(da)?\d"), AMD: re.compile(r"rocm\d")}


def has_code_for(gpu: NodeGpu, bundle: Bundle) -> bool:
    """Whether a published build runs on a GPU; if nothing is known, it is taken to.

    Code for AMD's GPUs runs only on the LLVM target that it was compiled for (LLVM, "User Guide for AMDGPU
    Backend", code object version 4 and "Processors").
    """
    if bundle.cpu_only or for_others(gpu, bundle):
        return False
    if gpu.component == AMD:
        return not bundle.gfx_targets or gpu.version in bundle.gfx_targets
    return _runs_on(gpu.version, bundle.compute_capabilities)


def for_others(gpu: NodeGpu, bundle: Bundle) -> bool:
    """Whether a published build is for GPUs, but not for those of this one's maker."""
    makers = {
        name
        for name, code in ((NVIDIA, bundle.compute_capabilities), (AMD, bundle.gfx_targets))
        if code or _TOOLKITS[name] in bundle.components
    }
    return bool(makers) and gpu.component not in makers


def label_for_others(label: str, gpus: Collection[NodeGpu]) -> bool:
    """Whether a build's label (``cpu``, ``cu118``, ``rocm6.0``) says that it is for none of these GPUs."""
    makers = {gpu.component for gpu in gpus}
    return label == "cpu" or any(
        pattern.match(label) and maker not in makers for maker, pattern in _LABELS.items()
    )


def _runs_on(compute_capability: str, built_for: Sequence[str]) -> bool:
    """Whether a GPU of a compute capability can run a build.

    Machine code runs on GPUs of the same major compute capability and the same or a higher minor one; PTX
    code runs on that generation and all newer ones (CUDA C++ Programming Guide, "Binary Compatibility" and
    "PTX Compatibility"). Either, if compiled for ``9.0a``, runs on 9.0 only ("Architecture-Specific
    Features").

    Args:
        compute_capability: the GPU's, ``8.6``.
        built_for: the build's, ``("7.0", "8.0+PTX")``; if it is empty, the build is taken to run.
    """
    if not built_for:
        return True
    gpu = _pair(compute_capability)
    for entry in built_for:
        target = entry.removesuffix(_PTX)
        code = _pair(target)
        if target.endswith("a"):
            if gpu == code:
                return True
            continue
        same_generation = gpu[0] == code[0] and gpu[1] >= code[1]
        if same_generation or (entry.endswith(_PTX) and gpu >= code):
            return True
    return False


def _pair(text: str) -> tuple[int, ...]:
    """Return the major and minor number of ``8.6``, of ``9.0a`` without its letter."""
    return (*parse_version(text).release, 0)[:2]
