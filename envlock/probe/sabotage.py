"""Negative controls: makes one rank misbehave, so that a test can show that each check can fail.

The plan's ``sabotage`` is one of::

    {"wrong-sum": RANK}                     the rank contributes one wrong number to every message
    {"hang": RANK, "phase": PHASE}          the rank sleeps instead of entering the phase
    {"die": RANK, "phase": PHASE}           the rank is killed instead of entering the phase
    {"size-one": true}                      every rank's MPI is a world of its own

A phase is given by how it begins, ``torch-gloo: allreduce``.
"""

import os
import signal
import time
from typing import Any, Dict


def on_phase(sabotage: Dict[str, Any], rank: Any, phase: str) -> None:
    """Hang or die if this rank is to do so on entering this phase."""
    begins = sabotage.get("phase")
    if rank is None or not begins or not phase.startswith(begins):
        return
    if sabotage.get("die") == rank:
        os.kill(os.getpid(), signal.SIGKILL)
    while sabotage.get("hang") == rank:
        time.sleep(1)


def added_error(sabotage: Dict[str, Any], rank: Any) -> int:
    """What this rank adds to one number of each of its contributions: 0 or 1."""
    return int(rank is not None and sabotage.get("wrong-sum") == rank)


def alone(sabotage: Dict[str, Any]) -> bool:
    """Whether every rank is to see a world of its own."""
    return bool(sabotage.get("size-one"))
