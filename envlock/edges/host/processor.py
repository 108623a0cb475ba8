"""The processors: their family, and the widest vector instructions that all of them have."""

from __future__ import annotations

import os
from pathlib import Path

from envlock.edges.visible import text_of
from envlock.model.project.target import Offer

_CPUINFO = Path("/proc/cpuinfo")
_WIDEST_FIRST = (
    ("avx512f", "avx512"),
    ("avx2", "avx2"),
    ("avx", "avx"),
    ("sse4_2", "sse4.2"),
    ("sse4_1", "sse4.1"),
    ("pni", "sse3"),
    ("sse2", "sse2"),
)
"""The kernel's name for a feature (``pni`` is Prescott New Instructions, SSE3) and the component's word."""


def find_processor(machine: str = "", cpuinfo: Path = _CPUINFO) -> tuple[Offer, ...]:
    """Return the processors' family, and for x86 the widest vector instructions.

    Args:
        machine: the architecture; by default the kernel's own word for it.
        cpuinfo: the kernel's list of processors.
    """
    machine = machine or os.uname().machine
    family = Offer(component="processor", version=machine, note="uname")
    if machine != "x86_64":
        return (family,)
    word = widest_instructions(text_of(cpuinfo))
    return (family, Offer(component="cpu-simd", version=word, note="/proc/cpuinfo")) if word else (family,)


def widest_instructions(cpuinfo: str) -> str:
    """Return the word for the widest vector instructions of all processors; empty if none is described."""
    described = [
        frozenset(line.partition(":")[2].split()) for line in cpuinfo.splitlines() if line.startswith("flags")
    ]
    if not described:
        return ""
    common = frozenset.intersection(*described)
    return next((word for flag, word in _WIDEST_FIRST if flag in common), "none")
