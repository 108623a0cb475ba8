"""How large a message may be, by the free memory of this host, and of this process and its control groups."""

import os
import resource
from typing import Iterator, List, Optional

from .control_groups import ROOT, group_folders, own_groups
from .kernel_files import kernel_text

_COPIES = 8
"""Tensors of the largest size that a rank may hold at once: sent, received, expected, and libraries' own."""

_VERSION_2 = ("memory.max", "memory.current", "inactive_file")
_VERSION_1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
"""Files of limit and usage, and the row of memory.stat with what the kernel reclaims when memory is short."""


def affordable(max_bytes: int, ranks_here: int, on_gpu: Optional[int]) -> int:
    """Return the largest message that this host's ranks can hold several copies of, at most ``max_bytes``.

    ``on_gpu``: the free bytes on this rank's own GPU, if messages are held there.
    """
    in_groups = left_in_groups(ROOT, own_groups())
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


def left_in_groups(root: str, groups: str) -> Optional[int]:
    """Return what the tightest of these control groups has left; ``None`` without a limit.

    Args:
        root: where control groups are mounted.
        groups: the text of ``/proc/self/cgroup``.
    """
    left = [amount for folder in group_folders(groups, root, "memory") for amount in _left(folder)]
    return min(left) if left else None


def _left(folder: str) -> Iterator[int]:
    for names in (_VERSION_2, _VERSION_1):
        most, now = (kernel_text(os.path.join(folder, name)).strip() for name in names[:2])
        if most.isdecimal() and now.isdecimal():
            rows = dict(line.split()[:2] for line in _lines(os.path.join(folder, "memory.stat")))
            yield max(0, int(most) - int(now) + int(rows.get(names[2], 0)))


def _lines(path: str) -> List[str]:
    return kernel_text(path).splitlines()
