"""How large a message may be on this host: what is free of it, and of this process's control group."""

from typing import List, Optional

_COPIES = 8
"""Tensors of the largest size that a rank may hold at once: sent, received, expected, and libraries' own."""


def affordable(max_bytes: int, ranks_here: int) -> int:
    """The largest message that all ranks of this host can hold several copies of, at most ``max_bytes``."""
    free = [one for one in (_available(), _left_in_group()) if one is not None]
    return min([max_bytes] + [max(8, one // _COPIES // max(1, ranks_here)) for one in free])


def _available() -> Optional[int]:
    """MemAvailable of proc_meminfo(5), in bytes."""
    for line in _lines("/proc/meminfo"):
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None


def _left_in_group() -> Optional[int]:
    """What the control group has left, in version 2 or else version 1; none where there is no limit."""
    for limit, used in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ):
        most, now = _lines(limit), _lines(used)
        if most and now and most[0].strip().isdigit():
            return max(0, int(most[0]) - int(now[0]))
    return None


def _lines(path: str) -> List[str]:
    try:
        with open(path, encoding="utf-8") as stream:
            return stream.readlines()
    except OSError:
        return []
