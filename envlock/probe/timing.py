"""How long a reduction takes by message size, timed as the field's benchmarks do (check C16).

Warm-ups come first, then calls back to back; a sample is their mean on this rank, and the slowest rank's
counts. Intel's IMB-MPI1 with ``-sync off`` and nccl-tests do the same. Ranks agree on the number of calls
from a trial, so that a slow library does not take minutes. A curve::

    {"mode": "single", "points": [{"bytes": 8, "iterations": 200, "samples": [1.2e-06, ...]}]}
"""

import time
from typing import Any, Callable, Dict, Iterable, List

from . import sabotage
from .back_ends.base import BackEnd, Job, World, cut
from .gathering import everyones

_SAMPLE_S = 1e-3
"""Seconds of a sample: shorter than a time slice of the scheduler, so that some samples are undisturbed even
where others use the processors."""

_FIRST_SAMPLES = 3
_FEWEST_SAMPLES = 10
_MOST_SAMPLES = 60
_TRIALS = 8
_MOST_CALLS = 200
_GROWTH = 4
_PATIENCE = 5.0
"""How many times the budget the first samples may take before no more are taken."""


def curve(
    back_end: BackEnd,
    world: World,
    job: Job,
    mode: str,
    sizes: Iterable[int],
    budget: float,
    beat: Callable[[str], None],
) -> Dict[str, Any]:
    """Time one mode at these sizes (bytes), each for about ``budget`` seconds; collective."""
    points = []
    for size in sizes:
        beat("timing %s of %d bytes" % (mode, size))
        call = sabotage.slowed(job.plan.sabotage, world.rank, back_end.reduction(size, mode))
        label = "%s.%d" % (mode, size)
        iterations = _iterations(back_end, world, call, label, _PATIENCE * budget)
        samples: List[float] = []
        spent = 0.0
        while len(samples) < _FIRST_SAMPLES and spent <= _PATIENCE * budget:
            samples.append(_sample(back_end, call, iterations))
            spent = _mean(back_end, world, sum(samples), "first%d.%s" % (len(samples), label)) * iterations
        more = _more_samples(spent, budget)
        samples += [_sample(back_end, call, iterations) for _ in range(more)]
        points.append({"bytes": size, "iterations": iterations, "samples": samples})
    return {"mode": mode, "points": points}


def _sample(back_end: BackEnd, call: Callable[[], Any], iterations: int) -> float:
    """Return the mean of ``iterations`` calls on this rank."""
    back_end.barrier()
    begin = time.perf_counter()
    for _ in range(iterations):
        call()
    return (time.perf_counter() - begin) / iterations


def _iterations(back_end: BackEnd, world: World, call: Callable[[], Any], label: str, most_s: float) -> int:
    """Return how many calls make a sample: the same on all ranks, since calls are collective.

    As many as the fastest trial fits into a sample's time, but not more than take ``most_s`` (seconds) at the
    pace of the trial in the middle, which shared processors make a hundred times as long.
    """
    trials = sorted(_timed(call) for _ in range(_TRIALS))
    fastest = _mean(back_end, world, trials[0], "fastest." + label)
    usual = _mean(back_end, world, trials[_TRIALS // 2], "usual." + label)
    return max(1, min(_MOST_CALLS, int(_SAMPLE_S / fastest), int(most_s / usual)))


def _timed(call: Callable[[], Any]) -> float:
    """Return how many seconds one call takes."""
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def _more_samples(first_s: float, budget: float) -> int:
    """Return how many samples to take after the first, which took this long; the same on all ranks.

    Where processors are shared, samples may take a hundred times as long as planned, and the first suffice.
    """
    if first_s > _PATIENCE * budget:
        return 0
    wanted = int(budget * _FIRST_SAMPLES / first_s)
    return max(_FEWEST_SAMPLES, min(_MOST_SAMPLES, wanted)) - _FIRST_SAMPLES


def _mean(back_end: BackEnd, world: World, seconds: float, label: str) -> float:
    """Return the mean of a time over ranks, at least a nanosecond."""
    total = sum(everyones(back_end, world, int(seconds * 1e9), label))
    return max(total, 1) / 1e9 / world.size


def sizes(max_bytes: int, mode: str) -> List[int]:
    """Return 8 bytes, and 16 times powers of four (1 MiB is one) up to the largest message.

    What is too small to be cut into as many tensors as the mode has is left out.
    """
    found = [8, 16]
    while found[-1] * _GROWTH < max_bytes:
        found.append(found[-1] * _GROWTH)
    largest = max(8, max_bytes // 8 * 8)
    every = [size for size in found if size < largest] + [largest]
    return [size for size in every if cut(size, mode)[1]]
