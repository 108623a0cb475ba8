"""AMD's kernel driver, GPUs and ROCm, as the kernel and ROCm's files report them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from envlock.edges.visible import matching, text_of
from envlock.model.project.target import Offer

MODULE = "amdgpu-module"
"""The driver by its module's version, which the knowledge base translates; a kernel's own module has none."""
_NODES = "sys/class/kfd/kfd/topology/nodes/*/properties"
_DRIVER = "sys/module/amdgpu/version"
_ROCM = "opt/rocm*"
_VERSION = r"\d+(?:\.\d+)+"


def find_amd(
    without_screens: frozenset[str], environ: Mapping[str, str], root: Path = Path("/")
) -> tuple[Offer, ...]:
    """Return the driver, one offer for each LLVM target of the GPUs, and ROCm, as far as they are there.

    Radeons and GPUs inside processors mostly drive a screen: they count only if ROCm is installed, since
    otherwise nobody means to compute on them.

    Args:
        without_screens: the LLVM targets of GPUs that are made for computing.
        environ: the variables that may name ROCm's folders.
        root: the root of the file system.
    """
    texts = [text_of(path) for path in matching(root, _NODES)]
    homes = [Path(home) for name in ("ROCM_PATH", "ROCM_HOME") if (home := environ.get(name))]
    homes += matching(root, _ROCM)
    rocm = _toolkits(homes)
    gpus = gpu_offers(texts, computing=None if rocm else without_screens)
    module = text_of(root / _DRIVER).strip()
    driver = (Offer(component=MODULE, version=module, note=f"module {module}"),) if module else ()
    return (*gpus, *driver, *rocm)


def gpu_offers(properties: Iterable[str], *, computing: frozenset[str] | None) -> tuple[Offer, ...]:
    """Return one offer for each LLVM target in the kernel's topology.

    Args:
        properties: the kernel's description of each node in the topology.
        computing: the targets that count; ``None`` for all.
    """
    targets = [target for text in properties if (target := gfx_target(text))]
    counts = Counter(target for target in targets if computing is None or target in computing)
    return tuple(
        Offer(component="gpu_gfx", version=target, note=f"{count} in the kernel's topology")
        for target, count in sorted(counts.items())
    )


def gfx_target(properties: str) -> str:
    """Return the LLVM target of one node in the topology; empty for processors and before Linux 5.15.

    The kernel writes 90010 for major 9, minor 0, stepping 10 (``kfd_device.c``), which LLVM calls gfx90a.
    """
    found = re.search(r"(?m)^gfx_target_version (\d+)$", properties)
    number = int(found[1]) if found else 0
    major, minor, stepping = number // 10000, number // 100 % 100, number % 100
    return f"gfx{major}{minor:x}{stepping:x}" if number else ""


def _toolkits(homes: Iterable[Path]) -> tuple[Offer, ...]:
    offers = {}
    for home in homes:
        found = re.match(_VERSION, text_of(home / ".info/version"))
        if found:
            prefix = str(home.resolve())
            offers[prefix] = Offer(component="rocm", version=found[0], prefix=prefix, note=".info/version")
    return tuple(offers.values())
