"""Which GPUs a published build can run on."""

from __future__ import annotations

from collections.abc import Sequence

_PTX = "+PTX"


def runs_on(compute_capability: str, built_for: Sequence[str]) -> bool:
    """Whether a GPU can run a build.

    Machine code runs on GPUs of the same major compute capability and the same or a higher minor one; PTX
    code runs on that generation and all newer ones (CUDA C++ Programming Guide, "Binary Compatibility" and
    "PTX Compatibility").

    Args:
        compute_capability: the GPU's, ``8.6``.
        built_for: the build's, ``("7.0", "8.0+PTX")``; nothing known means that nothing speaks against it.
    """
    if not built_for:
        return True
    gpu = _pair(compute_capability)
    for entry in built_for:
        code = _pair(entry.removesuffix(_PTX))
        same_generation = gpu[0] == code[0] and gpu[1] >= code[1]
        if same_generation or (entry.endswith(_PTX) and gpu >= code):
            return True
    return False


def _pair(text: str) -> tuple[int, int]:
    """``8.6`` as numbers; the ``a`` of ``9.0a`` names features, not another generation."""
    major, _, minor = text.rstrip("abcdefghijklmnopqrstuvwxyz").partition(".")
    return int(major), int(minor or 0)
