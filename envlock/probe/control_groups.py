"""This process's control groups, and the processor time that they allow it, which no affinity mask shows.

A container or a scheduler may show all processors of a node but grant the time of one: threads are then
stopped for most of each period (the kernel's cgroup-v2.rst, ``cpu.max``; sched-bwc.rst).
"""

import os
from typing import Iterator, Optional

from .kernel_files import kernel_text

ROOT = "/sys/fs/cgroup"


def processors_worth(groups: str, root: str = ROOT) -> Optional[float]:
    """How many processors' worth of time the tightest group allows; ``None`` if none has a limit.

    Args:
        groups: the text of ``/proc/self/cgroup``.
        root: where the control group file systems are mounted.
    """
    shares = [share for folder in group_folders(groups, root, "cpu") for share in _shares(folder)]
    return min(shares) if shares else None


def own_processors_worth() -> Optional[float]:
    """The same for this process."""
    return processors_worth(own_groups())


def own_groups() -> str:
    """Return the text of ``/proc/self/cgroup`` (cgroups(7)): number, controllers and path in each line."""
    return kernel_text("/proc/self/cgroup")


def group_folders(groups: str, root: str, controller: str) -> Iterator[str]:
    """Yield the folders of the process's groups and their ancestors; in a container its own is the root.

    Schedulers limit the job or the step, whose group is an ancestor of the process's own.

    Args:
        groups: the text of ``/proc/self/cgroup``.
        root: where the control group file systems are mounted.
        controller: what in version 1 has a hierarchy of its own, perhaps shared with others.
    """
    for line in groups.splitlines():
        _, controllers, path = (line.split(":", 2) + ["", ""])[:3]
        if controllers == "" or controller in controllers.split(","):
            names = [name for name in path.split("/") if name not in ("", "..")]
            for depth in range(len(names), -1, -1):
                for base in sorted({controllers or ".", controller if controllers else "."}):
                    yield os.path.join(root, base, *names[:depth])


def _shares(folder: str) -> Iterator[float]:
    both = kernel_text(os.path.join(folder, "cpu.max")).split() or [
        kernel_text(os.path.join(folder, name)).strip() for name in ("cpu.cfs_quota_us", "cpu.cfs_period_us")
    ]
    quota, period = both[0], both[-1]
    if quota.isdecimal() and period.isdecimal() and int(period):
        yield int(quota) / int(period)
