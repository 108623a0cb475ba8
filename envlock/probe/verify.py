"""Reductions over one back end with exact values: every type, several sizes, every way of calling, timed.

A back end's part of a rank's result::

    {"outcome": "passed" | "failed" | "raised", "rank": 0, "size": 2, "local_rank": 0, "facts": {...},
     "reductions": 60, "wrong": [{"case": "float32, 1024 bytes, in place", "index": 0, "expected": 3.0,
     "got": 4.0, "elements": 1}], "seconds": 0.1, "bandwidth": {"bytes": 1048576, "seconds": 0.001,
     "algorithm_gb_s": 1.0, "bus_gb_s": 1.0}, "error": ..., "traceback": ...}
"""

import time
from typing import Any, Dict, List

from . import payload, sabotage
from .back_ends.base import BackEnd, Job, World
from .heartbeat import Heartbeat

_MOST_WRONG_TOLD = 10
_REPEATS = 5


def verify(back_end: BackEnd, world: World, job: Job, heart: Heartbeat, result: Dict[str, Any]) -> None:
    """Fill a back end's result."""
    begin = time.monotonic()
    wrong: List[Dict[str, Any]] = []
    result.update(outcome="failed", reductions=0, wrong=wrong)
    for size in payload.sizes(job.plan.max_bytes):
        heart.beat("%s: allreduce of %d bytes" % (back_end.name, size))
        for dtype in payload.DTYPES:
            for mode in back_end.modes:
                _one_case(back_end, world, job, dtype, size, mode, result)
    heart.beat("%s: timing" % back_end.name)
    result["bandwidth"] = _bandwidth(back_end, world, job.plan.max_bytes)
    result["seconds"] = round(time.monotonic() - begin, 4)
    result["outcome"] = "failed" if wrong else "passed"


def _one_case(
    back_end: BackEnd, world: World, job: Job, dtype: str, size: int, mode: str, result: Dict[str, Any]
) -> None:
    """One call, or several tensors at once where the mode is fused; each sum compared element by element."""
    count = max(1, size // payload.WIDTH[dtype])
    counts = [count, 1, max(1, count // 3)] if mode == "fused" else [count]
    mine = payload.contribution(world.rank)
    tensors = [back_end.tensor(dtype, mine, n) for n in counts]
    error = sabotage.added_error(job.plan.sabotage, world.rank)
    if error:
        tensors[0][counts[0] - 1] += error
    label = "%s %d %s" % (dtype, size, mode)
    sums = back_end.allreduce(tensors, mode, label.replace(" ", "."))
    for got, n in zip(sums, counts):
        result["reductions"] += 1
        wanted = back_end.tensor(dtype, payload.expected(world.size), n)
        places = back_end.differences(got, wanted)
        if places and len(result["wrong"]) < _MOST_WRONG_TOLD:
            index = places[0]
            result["wrong"].append(
                {
                    "case": "%s, %d bytes, %s" % (dtype, n * payload.WIDTH[dtype], mode),
                    "index": index,
                    "expected": float(wanted[index]),
                    "got": float(got[index]),
                    "elements": len(places),
                }
            )


def _bandwidth(back_end: BackEnd, world: World, size: int) -> Dict[str, float]:
    """Mean over a few reductions; bus bandwidth as nccl-tests define it (doc/PERFORMANCE.md).

    Algorithm bandwidth is bytes over seconds; times 2 (n - 1) / n it is comparable between numbers of ranks.
    """
    count = max(1, size // payload.WIDTH["float32"])
    mode = back_end.modes[0]
    zeros = [back_end.tensor("float32", [0] * payload.PERIOD, count)]
    back_end.allreduce(zeros, mode, "warm.up")
    begin = time.monotonic()
    for number in range(_REPEATS):
        back_end.allreduce(zeros, mode, "timing.%d" % number)
    seconds = max(1e-9, (time.monotonic() - begin) / _REPEATS)
    size = count * payload.WIDTH["float32"]
    algorithm = size / seconds / 1e9
    return {
        "bytes": size,
        "seconds": round(seconds, 9),
        "algorithm_gb_s": round(algorithm, 4),
        "bus_gb_s": round(algorithm * 2 * (world.size - 1) / world.size, 4),
    }
