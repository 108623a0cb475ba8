"""Which GPUs a published build can run on."""

from __future__ import annotations

from collections.abc import Sequence

_PTX = "+PTX"


def runs_on(compute_capability: str, built_for: Sequence[str]) -> bool:
    """Whether a GPU can run a build.

    Machine code runs on GPUs of the same major compute capability and the same or a higher minor one; PTX
    code runs on that generation and all newer ones (CUDA C++ Programming Guide, "Binary Compatibility" and
    "PTX Compatibility"). Either compiled for ``9.0a`` runs on 9.0 alone ("Architecture-Specific Features").

    Args:
        compute_capability: the GPU's, ``8.6``.
        built_for: the build's, ``("7.0", "8.0+PTX")``; nothing known means that nothing speaks against it.
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


def _pair(text: str) -> tuple[int, int]:
    """``8.6`` as numbers, without the letter of ``9.0a``."""
    major, _, minor = text.rstrip("abcdefghijklmnopqrstuvwxyz").partition(".")
    return int(major), int(minor or 0)
