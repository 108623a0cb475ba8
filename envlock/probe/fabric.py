"""The network adapters that communication libraries may use by InfiniBand's verbs: InfiniBand, RoCE, EFA."""

import glob
import os
from typing import List

_FOLDER = "/sys/class/infiniband"
_DOWN = "1:"


def adapters(folder: str = _FOLDER) -> List[str]:
    """Return the adapters' names, except those to which nothing is connected.

    Many a node has one without a cable. The kernel tells a number and a word for each port (see its
    sysfs-class-infiniband): ``1: DOWN``, ``4: ACTIVE``.
    """
    found = sorted(glob.glob(os.path.join(glob.escape(folder), "*")))
    return [os.path.basename(path) for path in found if not _is_down(path)]


def _is_down(adapter: str) -> bool:
    """Whether all ports are down; one that tells nothing is taken as used."""
    states = []
    for path in glob.glob(os.path.join(glob.escape(adapter), "ports", "*", "state")):
        try:
            with open(path, encoding="ascii", errors="replace") as stream:
                states.append(stream.read())
        except OSError:
            return False
    return bool(states) and all(state.startswith(_DOWN) for state in states)
