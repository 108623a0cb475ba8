"""AMD's GPUs: those that this process may use, by the kernel's topology, and HIP's library, which runs them.

A node's topology also tells of GPUs inside processors, which drive a screen, so only those count whose LLVM
target is one that the lock was made for.
"""

import ctypes
import os
import re
from typing import Any, Collection, Dict, Iterable, List, NamedTuple

from .kernel_files import kernel_text

TOPOLOGY = "/sys/class/kfd/kfd/topology/nodes"
_DEVICES = "/dev"
SHOWN_BY = ("ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES")
"""Variables by which a scheduler or a user shows some GPUs only (ROCm, "GPU isolation techniques")."""

HIDDEN = ("", "-1", "NoDevFiles")
"""Values of these that show none; the last one is Slurm's for a job without GPUs."""

Gpu = NamedTuple("Gpu", [("target", str), ("file", str), ("uuid", str)])


def gpus(targets: Collection[str], topology: str = TOPOLOGY, devices: str = _DEVICES) -> List[Gpu]:
    """Return the GPUs of these LLVM targets whose devices this process may open, in the kernel's order.

    What a control group denies, the kernel tells nothing of (its ``kfd_topology.c``). Before Linux 5.15 it
    tells no targets; those GPUs count.
    """
    if not targets or not _opens(os.path.join(devices, "kfd")):
        return []
    found = []
    for node in sorted(_listed(topology), key=lambda name: (len(name), name)):
        told = _properties(os.path.join(topology, node, "properties"))
        file = os.path.join(devices, "dri", "renderD%d" % told.get("drm_render_minor", -1))
        target = gfx_target(told.get("gfx_target_version", 0))
        if told.get("simd_count") and target in {"", *targets} and _opens(file):
            found.append(Gpu(target, file, "%x" % told.get("unique_id", 0)))
    return found


def reachable(environ: Dict[str, str], targets: Collection[str]) -> List[str]:
    """Return the device files of GPUs that this process may open, unless a variable hides all GPUs.

    What the runtime's own variable shows, HIP's may hide.
    """
    if shown(environ) in HIDDEN or environ.get("HIP_VISIBLE_DEVICES") in HIDDEN:
        return []
    return [gpu.file for gpu in gpus(targets)]


def gfx_target(number: int) -> str:
    """Return the LLVM target for the kernel's number: 90010 is gfx90a (``kfd_device.c``); empty for 0."""
    major, minor, stepping = number // 10000, number // 100 % 100, number % 100
    return "gfx%d%x%x" % (major, minor, stepping) if number else ""


def shown(environ: Dict[str, str]) -> Any:
    """Return the value of the first variable that chooses GPUs; ``None`` if none is set."""
    return next((environ[name] for name in SHOWN_BY if name in environ), None)


def driver_version() -> str:
    """Return the version of the driver's module; a kernel's own module has none."""
    return kernel_text("/sys/module/amdgpu/version").strip()


def hip(libraries: Iterable[str]) -> Any:
    """Return HIP's library among those mapped by frameworks, opened here; ``None`` if there is none."""
    for path in libraries:
        if re.match(r"libamdhip64\.so", os.path.basename(path)):
            try:
                return ctypes.CDLL(path)
            except OSError:
                continue
    return None


def _opens(path: str) -> bool:
    return os.access(path, os.R_OK | os.W_OK)


def _listed(folder: str) -> List[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _properties(path: str) -> Dict[str, int]:
    rows = [line.split() for line in kernel_text(path).splitlines()]
    return {row[0]: int(row[1]) for row in rows if len(row) == 2 and row[1].isdecimal()}  # noqa: PLR2004
