"""How much memory this process may still use of the machine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from envlock.edges.visible import text_of

_GROUPS = Path("/sys/fs/cgroup")
_VERSION_2 = ("memory.max", "memory.current", "inactive_file")
_VERSION_1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
"""Files of limit and usage, and the row of memory.stat with what the kernel reclaims when memory is short."""


def free_bytes() -> int:
    """Return the bytes that are free, here and in its control groups; 0 where nothing tells."""
    available = re.search(r"^MemAvailable:\s+(\d+) kB", text_of(Path("/proc/meminfo")), re.MULTILINE)
    left = left_in_groups(text_of(Path("/proc/self/cgroup")), _GROUPS)
    free = [*([int(available[1]) * 1024] if available else []), *([] if left is None else [left])]
    return min(free, default=0)


def left_in_groups(groups: str, root: Path) -> int | None:
    """Return the bytes that the tightest of a process's control groups has left; ``None`` without a limit.

    A scheduler limits the job or the step, whose group is an ancestor of the process's own; beyond the limit
    the kernel kills the compiler, however much memory the node has free.

    Args:
        groups: the text of ``/proc/self/cgroup`` (cgroups(7)): lines of number, controllers and path.
        root: where control groups are mounted.
    """
    left = list[int]()
    for line in groups.splitlines():
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        if controllers == "":
            left += _left(root, path, _VERSION_2)
        elif "memory" in controllers.split(","):
            left += _left(root / "memory", path, _VERSION_1)
    return min(left, default=None)


def _left(root: Path, path: str, names: tuple[str, str, str]) -> Iterator[int]:
    """Yield it for a group and each ancestor with a limit; in a container its own group is the root."""
    limit, used, reclaimable = names
    parts = [part for part in path.split("/") if part not in {"", ".."}]
    for depth in range(len(parts), -1, -1):
        folder = root.joinpath(*parts[:depth])
        most, now = text_of(folder / limit).strip(), text_of(folder / used).strip()
        if most.isdecimal() and now.isdecimal():  # without a limit it is "max"
            rows = re.search(rf"^{reclaimable} (\d+)$", text_of(folder / "memory.stat"), re.MULTILINE)
            yield max(0, int(most) - int(now) + (int(rows[1]) if rows else 0))
