"""Negative controls: makes one rank misbehave, so that a test can show that each check can fail.

The plan's ``sabotage`` is one of::

    {"wrong-sum": RANK}                     the rank contributes one wrong number to every message
    {"hang": RANK, "phase": PHASE}          the rank sleeps instead of entering the phase
    {"hang": RANK, "phase": PHASE, "inside": true}      it has entered the phase, and sleeps
    {"die": RANK, "phase": PHASE}           the rank is killed instead of entering the phase
    {"die": RANK, "phase": PHASE, "after": SECONDS}     it is killed so long after entering the phase
    {"slow": RANK, "seconds": SECONDS}      the rank sleeps before each timed message and training step
    {"drag": RANK, "part": PART}            each call of a benchmark takes so much longer, as a part
    {"astray": RANK}                        the rank changes one of its model's numbers while training
    {"size-one": true}                      every rank's MPI is a world of its own

A phase is given by its beginning, ``torch-gloo: allreduce``.
"""

import os
import signal
import threading
import time
from typing import Any, Callable, Dict


def on_phase(sabotage: Dict[str, Any], rank: Any, phase: str, inside: bool) -> None:
    """Hang or die if this rank is meant to on entering this phase, or just inside it."""
    begins = sabotage.get("phase")
    if rank is None or not begins or not phase.startswith(begins):
        return
    # A rank that is to die later has entered the phase, and records that in its file before its time runs.
    if inside is not bool(sabotage.get("inside") or "after" in sabotage):
        return
    if sabotage.get("die") == rank and "after" in sabotage:
        end = threading.Timer(sabotage["after"], os.kill, (os.getpid(), signal.SIGKILL))
        end.daemon = True
        end.start()
    elif sabotage.get("die") == rank:
        os.kill(os.getpid(), signal.SIGKILL)
    while sabotage.get("hang") == rank:
        time.sleep(1)


def added_error(sabotage: Dict[str, Any], rank: Any) -> int:
    """Return what this rank adds to one value of each of its contributions: 0 or 1."""
    return int(rank is not None and sabotage.get("wrong-sum") == rank)


def delay(sabotage: Dict[str, Any], rank: Any) -> None:
    """Sleep if this rank is the slow one."""
    if rank is not None and sabotage.get("slow") == rank:
        time.sleep(sabotage.get("seconds", 0.01))


def slowed(sabotage: Dict[str, Any], rank: Any, call: Callable[[], Any]) -> Callable[[], Any]:
    """Return the call delayed on the slow rank, unchanged on others."""
    if rank is None or sabotage.get("slow") != rank:
        return call

    def late() -> None:
        delay(sabotage, rank)
        call()

    return late


def dragged(sabotage: Dict[str, Any], rank: Any, call: Callable[[], Any]) -> Callable[[], Any]:
    """Return the call prolonged on the rank that drags, by spinning: a sleep is longer than most calls."""
    if rank is None or sabotage.get("drag") != rank:
        return call
    part = sabotage.get("part", 0.5)

    def late() -> None:
        begin = time.perf_counter()
        call()
        end = time.perf_counter()
        until = end + part * (end - begin)
        while time.perf_counter() < until:
            pass

    return late


def astray(sabotage: Dict[str, Any], rank: Any) -> bool:
    """Whether this rank's model is meant to drift from the others."""
    return rank is not None and sabotage.get("astray") == rank


def alone(sabotage: Dict[str, Any]) -> bool:
    """Whether every rank is meant to see a world of its own."""
    return bool(sabotage.get("size-one"))
