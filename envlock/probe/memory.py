"""How large a message may be, by the free memory of this host, and of this process and its control groups."""

import os
import resource
from typing import Iterator, List, Optional, Tuple

from .kernel_files import kernel_text

_COPIES = 8
"""Tensors of the largest size that a rank may hold at once: sent, received, expected, and libraries' own."""

_ROOT = "/sys/fs/cgroup"
_VERSION_2 = ("memory.max", "memory.current", "inactive_file")
_VERSION_1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
"""Files of limit and usage, and the row of memory.stat with what the kernel reclaims when memory is short."""


def affordable(max_bytes: int, ranks_here: int, on_gpu: Optional[int]) -> int:
    """Return the largest message that this host's ranks can hold several copies of, at most ``max_bytes``.

    ``on_gpu``: the free bytes on this rank's own GPU, if messages are held there.
    """
    in_groups = left_in_groups(_ROOT, _lines("/proc/self/cgroup"))
    free = [amount for amount in (_available(), in_groups) if amount is not None]
    shares = [amount // max(1, ranks_here) for amount in free]
    shares += [amount for amount in (_addresses(), on_gpu) if amount is not None]
    return min([max_bytes] + [max(8, share // _COPIES) for share in shares])


def _available() -> Optional[int]:
    """Return MemAvailable of proc_meminfo(5), in bytes."""
    for line in _lines("/proc/meminfo"):
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None


def _addresses() -> Optional[int]:
    """Return how many bytes this process may still map (``ulimit -v``, setrlimit(2)); ``None`` for any."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    pages = kernel_text("/proc/self/statm").partition(" ")[0]
    return (
        None if limit == resource.RLIM_INFINITY else max(0, limit - int(pages or 0) * resource.getpagesize())
    )


def left_in_groups(root: str, groups: List[str]) -> Optional[int]:
    """Return what the tightest of this process's control groups has left; ``None`` without a limit.

    A scheduler limits the job or the step, whose group is an ancestor of the process's own.

    Args:
        root: where control groups are mounted.
        groups: the lines of ``/proc/self/cgroup`` (cgroups(7)): number, controllers, path.
    """
    left: List[int] = []
    for line in groups:
        _, controllers, path = (line.strip().split(":", 2) + ["", ""])[:3]
        if controllers == "":
            left += _left(root, path, _VERSION_2)
        elif "memory" in controllers.split(","):
            left += _left(os.path.join(root, "memory"), path, _VERSION_1)
    return min(left) if left else None


def _left(root: str, path: str, names: Tuple[str, str, str]) -> Iterator[int]:
    """Yield it for the group and each ancestor with a limit; in its own namespace the group is the root."""
    limit, used, reclaimable = names
    parts = [part for part in path.split("/") if part not in ("", "..")]
    for depth in range(len(parts), -1, -1):
        folder = os.path.join(root, *parts[:depth])
        most, now = _lines(os.path.join(folder, limit)), _lines(os.path.join(folder, used))
        if most and now and most[0].strip().isdecimal():
            rows = dict(line.split()[:2] for line in _lines(os.path.join(folder, "memory.stat")))
            yield max(0, int(most[0]) - int(now[0]) + int(rows.get(reclaimable, 0)))


def _lines(path: str) -> List[str]:
    return kernel_text(path).splitlines()
