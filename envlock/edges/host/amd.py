"""AMD's kernel driver, GPUs and ROCm, by what the kernel and ROCm's files say of themselves."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from envlock.edges.looking import matching
from envlock.model.target import Offer

_NODES = "sys/class/kfd/kfd/topology/nodes/*/properties"
_DRIVER = "sys/module/amdgpu/version"
_ROCM = "opt/rocm*"
_VERSION = re.compile(r"\d+(?:\.\d+)+")
_WITHOUT_SCREENS = frozenset(["gfx908", "gfx90a", "gfx940", "gfx941", "gfx942", "gfx950"])
"""Targets of Instinct alone, which has no outputs. Radeons, and what comes inside of processors, mostly draw
a screen: they count where ROCm is installed, for else nobody means to compute on them."""
_DRIVERS = {
    "6.3.6": "6.0",
    "6.7.0": "6.1",
    "6.8.5": "6.2",
    "6.10.5": "6.3",
    "6.12.12": "6.4",
    "6.14.14": "30.10",
    "6.16.6": "30.20",
    "6.16.13": "30.30",
}
"""What the module calls itself -> what AMD's table of drivers and ROCm releases calls it, by the names of
packages that bring it (``amdgpu-dkms 1:6.8.5.60202``: of ROCm 6.2.2). A kernel's own module tells none."""


def find_amd(environ: Mapping[str, str], root: Path = Path("/")) -> tuple[Offer, ...]:
    """The driver, one offer for each LLVM target of the GPUs, and ROCm; nothing where there are none."""
    texts = [_text(path) for path in matching(root, _NODES)]
    homes = [Path(home) for name in ("ROCM_PATH", "ROCM_HOME") if (home := environ.get(name))]
    homes += matching(root, _ROCM)
    rocm = _toolkits(homes)
    gpus = gpu_offers(texts, computing=bool(rocm))
    return (*gpus, *driver_offers(_text(root / _DRIVER)), *rocm)


def gpu_offers(properties: Iterable[str], *, computing: bool) -> tuple[Offer, ...]:
    """The LLVM targets of nodes of the kernel's topology, each once.

    Args:
        properties: what the kernel says of each node.
        computing: whether GPUs count that may be there for a screen.
    """
    targets = [target for text in properties if (target := gfx_target(text))]
    counts = Counter(target for target in targets if computing or target in _WITHOUT_SCREENS)
    return tuple(
        Offer(component="gpu_gfx", version=target, note=f"{count} in the kernel's topology")
        for target, count in sorted(counts.items())
    )


def gfx_target(properties: str) -> str:
    """The LLVM target of one node of the topology; empty for processors and before Linux 5.15.

    The kernel tells 90010 for major 9, minor 0, stepping 10 (``kfd_device.c``), which LLVM calls gfx90a.
    """
    found = re.search(r"(?m)^gfx_target_version (\d+)$", properties)
    number = int(found[1]) if found else 0
    major, minor, stepping = number // 10000, number // 100 % 100, number % 100
    return f"gfx{major}{minor:x}{stepping:x}" if number else ""


def driver_offers(version: str) -> tuple[Offer, ...]:
    """The driver by AMD's numbers, where they are known of what the module says of itself."""
    name = _DRIVERS.get(version.strip())
    return (Offer(component="amdgpu", version=name, note=f"module {version.strip()}"),) if name else ()


def _toolkits(homes: Iterable[Path]) -> tuple[Offer, ...]:
    offers = {}
    for home in homes:
        found = _VERSION.match(_text(home / ".info/version"))
        if found:
            prefix = str(home.resolve())
            offers[prefix] = Offer(component="rocm", version=found[0], prefix=prefix, note=".info/version")
    return tuple(offers.values())


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
