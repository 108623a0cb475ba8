"""How long a reduction takes by message size, as the field's benchmarks time it (check C16).

Warm-ups, then calls back to back; a sample is their mean on this rank, and the slowest rank's counts. So do
Intel's IMB-MPI1 with ``-sync off`` and nccl-tests. The number of calls is agreed upon from a trial, so that
a slow library does not take minutes. A curve::

    {"mode": "single", "points": [{"bytes": 8, "iterations": 200, "samples": [1.2e-06, ...]}]}
"""

import time
from typing import Any, Callable, Dict, List, Tuple

from . import sabotage
from .back_ends.base import BackEnd, Job, World
from .gathering import everyones

_SAMPLE_S = 1e-3
"""Seconds of a sample: shorter than a slice of the scheduler, so that some are undisturbed even where others
use the processors."""

_FEWEST_SAMPLES = 10
_MOST_SAMPLES = 60
_TRIALS = 8
_MOST_CALLS = 200
_GROWTH = 4


def curve(
    back_end: BackEnd,
    world: World,
    job: Job,
    mode: str,
    sizes: List[int],
    budget: float,
    beat: Callable[[str], None],
) -> Dict[str, Any]:
    """Time one mode at these sizes (bytes), about so many seconds for each; collective."""
    points = []
    for size in sizes:
        beat("timing %s of %d bytes" % (mode, size))
        call = sabotage.slowed(job.plan.sabotage, world.rank, back_end.reduction(size, mode))
        iterations, count = _agreed(back_end, world, call, budget, "%s.%d" % (mode, size))
        samples = []
        for _ in range(count):
            back_end.barrier()
            begin = time.perf_counter()
            for _ in range(iterations):
                call()
            samples.append((time.perf_counter() - begin) / iterations)
        points.append({"bytes": size, "iterations": iterations, "samples": samples})
    return {"mode": mode, "points": points}


def _agreed(
    back_end: BackEnd, world: World, call: Callable[[], Any], budget: float, label: str
) -> Tuple[int, int]:
    """How many calls make a sample, and how many samples: the same on all ranks, since sums are."""
    least = float("inf")
    for _ in range(_TRIALS):
        begin = time.perf_counter()
        call()
        least = min(least, time.perf_counter() - begin)
    total = sum(everyones(back_end, world, int(least * 1e9), "trial." + label))
    mean = max(total, 1) / 1e9 / world.size
    iterations = max(1, min(_MOST_CALLS, int(_SAMPLE_S / mean)))
    return iterations, max(_FEWEST_SAMPLES, min(_MOST_SAMPLES, int(budget / iterations / mean)))


def sizes(max_bytes: int) -> List[int]:
    """From 8 bytes to the largest message, each four times the one before."""
    found = [8]
    while found[-1] * _GROWTH < max_bytes:
        found.append(found[-1] * _GROWTH)
    largest = max_bytes // 8 * 8
    return found + [largest] * (largest > found[-1])
