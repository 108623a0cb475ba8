"""Times a reduction exactly as a known benchmark does, so that the two can be compared.

In IMB-MPI1 and osu_allreduce, all ranks meet in a barrier, time one call, and repeat; a rank's time is the
mean over its calls, and the slowest rank's time counts. The nccl-tests start calls back to back, wait for the
device once, and divide. Sizes take turns, and the whole series is swept several times, as IMB does when a
benchmark is given several times. An empty call, size 0, shows what a call costs before it sends anything:
Python, mpi4py and the library's entry point. Rank 0 prints one line::

    {"benchmark": "mpi4py", "ranks": 2, "sweeps": [{"0": 7.7e-07, "8": 1.3e-06, ...}, ...]}
"""

import os
import sys
import time
from typing import Any, Callable, Dict, List

from . import documents, sabotage
from .back_ends.as_benchmarks import AS_BENCHMARKS
from .back_ends.base import BackEnd, Job, World
from .gathering import everyones
from .placement import place
from .plan import Plan

_WARM_UP, _LEAST_WARM_UP = 10, 10
"""Before the timed calls, IMB makes a tenth as many, but at least ten, or all if there are fewer
(IMB_warm_up.c of mpi-benchmarks, WARMUP_PERCENT and MIN_WARMUP_ITERS)."""

_BARRIERS = 2
"""The number of barriers before the first call, as in IMB (N_BARR)."""

_PER_S = 1e12


def run_benchmark(plan: Plan, folder: str) -> None:
    """Sweep over the plan's sizes and print the measurements."""
    (name,) = plan.back_ends
    back_end = AS_BENCHMARKS[name]()
    back_end.load()
    world = back_end.open(Job(plan, folder, place(dict(os.environ), plan.inherited), {}))
    calls = {
        size: sabotage.dragged(plan.sabotage, world.rank, back_end.reduction(size, "single"))
        for size in plan.calls
    }
    measure = _each_alone if back_end.each_alone else _back_to_back
    sweeps = [
        {size: measure(back_end, call, plan.calls[size]) for size, call in calls.items()}
        for _ in range(plan.sweeps)
    ]
    told = [_slowest(back_end, world, sweep, "sweep.%d" % number) for number, sweep in enumerate(sweeps)]
    if world.rank == 0:
        sys.stdout.write(documents.text({"benchmark": name, "ranks": world.size, "sweeps": told}) + "\n")
        sys.stdout.flush()
    back_end.close()


def _each_alone(back_end: BackEnd, call: Callable[[], Any], calls: int) -> float:
    """Return seconds per call, with each call between two barriers that are not timed."""
    _alone(back_end, call, _warm_ups(calls))
    return _alone(back_end, call, calls) / calls


def _alone(back_end: BackEnd, call: Callable[[], Any], calls: int) -> float:
    barrier, now = back_end.barrier, time.perf_counter
    total = 0.0
    for _ in range(_BARRIERS):
        barrier()
    for _ in range(calls):
        begin = now()
        call()
        total += now() - begin
        barrier()
    return total


def _warm_ups(calls: int) -> int:
    return min(calls, max(_LEAST_WARM_UP, calls // _WARM_UP))


def _back_to_back(back_end: BackEnd, call: Callable[[], Any], calls: int) -> float:
    """Return seconds per call, for many that are started one after another and awaited together."""
    for _ in range(_warm_ups(calls)):
        call()
    back_end.settle()
    back_end.barrier()
    back_end.settle()
    begin = time.perf_counter()
    for _ in range(calls):
        call()
    back_end.settle()
    return (time.perf_counter() - begin) / calls


def _slowest(back_end: BackEnd, world: World, sweep: Dict[int, float], label: str) -> Dict[str, float]:
    """Return, for each size, the time of the slowest rank; collective."""
    told = {}
    for size, seconds in sweep.items():
        all_of_them: List[int] = everyones(back_end, world, int(seconds * _PER_S), "%s.%d" % (label, size))
        told[str(size)] = max(all_of_them) / _PER_S
    return told
