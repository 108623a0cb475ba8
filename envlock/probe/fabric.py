"""The network adapters that communication libraries may use: InfiniBand, RoCE and EFA by verbs; Slingshot."""

import glob
import os
from typing import List

from .kernel_files import kernel_text

_FOLDER = "/sys/class/infiniband"
_DEVICES = "/dev/infiniband"
_DOWN = "1:"
_SLINGSHOT = "/sys/class/cxi"


def adapters(folder: str = _FOLDER) -> List[str]:
    """Return the adapters' names, except those to which nothing is connected.

    Many a node has one without a cable. The kernel tells a number and a word for each port (see its
    sysfs-class-infiniband): ``1: DOWN``, ``4: ACTIVE``.
    """
    found = sorted(glob.glob(os.path.join(glob.escape(folder), "*")))
    return [os.path.basename(path) for path in found if not _is_down(path)]


def usable(folder: str = _FOLDER, devices: str = _DEVICES) -> List[str]:
    """Return those of the adapters that this process may open: a container sees them all, without devices.

    One whose device the kernel does not name counts as usable (its sysfs-class-infiniband_verbs).
    """
    found = []
    for name in adapters(folder):
        verbs = os.path.join(glob.escape(os.path.join(folder, name)), "device", "infiniband_verbs", "*")
        files = [os.path.join(devices, os.path.basename(path)) for path in glob.glob(verbs)]
        if not files or any(os.access(file, os.R_OK | os.W_OK) for file in files):
            found.append(name)
    return found


def slingshot(folder: str = _SLINGSHOT) -> List[str]:
    """Return the names of HPE Slingshot's adapters, which have no verbs (``cxi0``; its libcxi.h)."""
    return sorted(map(os.path.basename, glob.glob(os.path.join(glob.escape(folder), "cxi*"))))


def _is_down(adapter: str) -> bool:
    """Whether all ports are down; one that tells nothing is taken as used."""
    states = [
        kernel_text(path) for path in glob.glob(os.path.join(glob.escape(adapter), "ports", "*", "state"))
    ]
    return bool(states) and all(state.startswith(_DOWN) for state in states)
