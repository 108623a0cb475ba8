"""The plan: what the probe is asked to do, one JSON document for every process.

::

    {"distributions": [{"name": "torch", "version": "1.4.0", "imports": ["torch"]}],
     "back_ends": ["mpi4py", "torch-gloo", "horovod-torch", "horovod-tensorflow"],
     "ranks": 2,
     "max_bytes": 1048576,
     "deadlines": {"imports": 300, "exercise": 300, "phase": 120},
     "sabotage": {}}

``imports`` may be left out: the importable modules are then found from the installed files. ``max_bytes`` is
the largest message of the communication checks. Deadlines are seconds: ``imports`` and ``exercise`` for the
whole of that check, ``phase`` for one phase of one rank. ``sabotage`` is for negative controls only, see
``sabotage.py``.
"""

import re
from typing import Any, Dict, List

from . import documents

DEADLINES = {"imports": 300.0, "exercise": 300.0, "phase": 120.0}
"""Seconds, where the plan says nothing."""


class Plan:
    """A plan, read once.

    Attributes:
        distributions: name, version and perhaps import names, in the order of importing.
        back_ends: the communication checks, in order.
        ranks: how many ranks the launcher is asked for.
        max_bytes: the largest message.
        deadlines: seconds, by name.
        sabotage: the negative control to play, empty for none.
    """

    def __init__(self, document: Dict[str, Any]) -> None:
        self.distributions: List[Dict[str, Any]] = list(document.get("distributions", []))
        self.back_ends: List[str] = list(document.get("back_ends", []))
        self.ranks = int(document.get("ranks", 1))
        self.max_bytes = int(document.get("max_bytes", 1 << 20))
        self.deadlines: Dict[str, float] = dict(DEADLINES, **document.get("deadlines", {}))
        self.sabotage: Dict[str, Any] = dict(document.get("sabotage", {}))

    def names(self) -> List[str]:
        """Normalised names of the distributions, in order."""
        return [normalise(item["name"]) for item in self.distributions]


def read_plan(path: str) -> Plan:
    """The plan in a file."""
    return Plan(documents.read(path))


def normalise(name: str) -> str:
    """The normalised name of a distribution (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()
