"""The plan: the probe's instructions, one JSON document for every process.

::

    {"distributions": [{"name": "torch", "version": "1.4.0", "wanted": true, "imports": ["torch"]}],
     "back_ends": ["mpi4py", "torch-gloo", "horovod-torch", "horovod-tensorflow"],
     "ranks": 2, "nodes": 1,
     "max_bytes": 268435456, "patience_s": 20,
     "correctness": true, "timing": true, "compare": false, "steps": 20, "timeline": false,
     "deadlines": {"imports": 300, "exercise": 300, "phase": 120},
     "expect": {"python": "3.7.16", "systems": {"openmpi": {"version": "4.1.4", "prefix": "/usr"}}, ...},
     "only": ["linking"],
     "calls": {"0": 200, "8": 200, "1048576": 40}, "sweeps": 5,
     "stack_tools": [["gdb", "-batch", "-p"]], "variables": ["HOME", "PATH"],
     "inherited": {"SLURM_PROCID": "0"}, "sabotage": {}}

``wanted`` marks what the group requires by name; ``imports`` may be left out, in which case the importable
modules are found from the installed files. ``max_bytes`` is the size of the largest message of the
communication checks, and ``patience_s`` how many seconds messages beyond 1 MiB may take in one series, 0 for
no limit; ``correctness`` requests exact values, ``timing`` curves, ``compare`` longer ones for every way of
calling, ``steps`` that many steps of training, and ``timeline`` Horovod's own record. Deadlines are in
seconds: ``imports`` and ``exercise`` for the whole of that check, ``check`` for each other check, ``phase``
for one phase of one rank. ``expect`` is what the lock says about node and builds, each part read where it is
checked. ``only`` names the isolated checks to run after importing everything, see ``one_process.py``; without
it, all run. ``calls`` by size, and ``sweeps`` over all sizes, are for ``benchmark.py``. ``stack_tools`` are
commands that show the stacks of the process whose number is appended to them. ``variables`` names the
environment variables set where the launcher was called, ``inherited`` those with their values that could be
taken for a rank's place. ``sabotage`` is for negative controls, see ``sabotage.py``.
"""

import re
from typing import Any, Dict, List, Optional, Tuple

from . import documents

DEADLINES = {"imports": 300.0, "exercise": 300.0, "check": 120.0, "phase": 120.0}
"""Seconds, where the plan gives none."""


class Plan:
    """A plan, read once; the module describes each part."""

    def __init__(self, document: Dict[str, Any]) -> None:
        self.distributions: List[Dict[str, Any]] = list(document.get("distributions", []))
        self.back_ends: List[str] = list(document.get("back_ends", []))
        self.ranks = int(document.get("ranks", 1))
        self.nodes = int(document.get("nodes", 1))
        self.max_bytes = int(document.get("max_bytes", 1 << 20))
        self.patience_s = float(document.get("patience_s", 0))
        self.correctness = bool(document.get("correctness", True))
        self.timing = bool(document.get("timing", True))
        self.compare = bool(document.get("compare", False))
        self.steps = int(document.get("steps", 20))
        self.timeline = bool(document.get("timeline", False))
        self.deadlines: Dict[str, float] = dict(DEADLINES, **document.get("deadlines", {}))
        self.expect: Dict[str, Any] = dict(document.get("expect", {}))
        self.only: Optional[List[str]] = document.get("only")
        self.calls = {int(size): int(calls) for size, calls in document.get("calls", {}).items()}
        self.sweeps = int(document.get("sweeps", 1))
        self.stack_tools: List[List[str]] = list(document.get("stack_tools", []))
        self.variables: List[str] = list(document.get("variables", []))
        self.inherited: Dict[str, str] = dict(document.get("inherited", {}))
        self.sabotage: Dict[str, Any] = dict(document.get("sabotage", {}))

    def names(self) -> List[str]:
        """Normalised names of the distributions, in order."""
        return [normalise(item["name"]) for item in self.distributions]


def read_plan(path: str) -> Plan:
    """Read the plan from a file."""
    return Plan(documents.read(path))


def normalise(name: str) -> str:
    """Return the normalised name of a distribution (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def plain_version(version: str) -> List[str]:
    """Split a version, without what normalising may change: case, leading zeros, separators (PEP 440)."""
    parts = version.lower().replace("-", ".").replace("_", ".").lstrip("v").split(".")
    parts = [part.lstrip("0") or "0" for part in parts]
    while parts and parts[-1] == "0":
        parts.pop()
    return parts


def release(version: str) -> Tuple[int, ...]:
    """Return the leading numbers of a version, for comparison."""
    match = re.match(r"\d+(\.\d+)*", version)
    return tuple(int(part) for part in match.group().split(".")) if match else ()
