"""Slow pairs, found by a tournament: each rank meets every other once, one at a time (check C16).

A collective is as slow as its slowest link and does not tell which link that is. By the circle method, every
pair meets in n - 1 rounds (n even) of n / 2 simultaneous meetings; a pair's figures are the least of several
tries, and of several tournaments if there are few ranks, because momentary disturbances pass. The result is
this rank's own meetings::

    [{"peer": 3, "small_s": 1e-06, "large_s": 0.001, "large_bytes": 1048576}]
"""

import functools
import time
from typing import Any, Callable, Dict, List, Optional

from . import sabotage
from .back_ends.base import BackEnd, Job, World

_LARGE = 1 << 20
_SMALL = 8
_TRIES = 7
_SMALL_CALLS = 10
_TOURNAMENTS = 5
_MOST_ROUNDS = 60


def rounds(entrants: List[int]) -> List[Dict[int, int]]:
    """Return, for each round, who meets whom; with an odd number, one rests in each round."""
    seats: List[Optional[int]] = list(entrants)
    if len(seats) % 2:
        seats.append(None)
    found = []
    for _ in range(len(seats) - 1):
        half = len(seats) // 2
        meetings = {}
        for one, other in zip(seats[:half], reversed(seats[half:])):
            if one is not None and other is not None:
                meetings[one], meetings[other] = other, one
        found.append(meetings)
        seats = seats[:1] + seats[-1:] + seats[1:-1]
    return found


def tournament(
    back_end: BackEnd, world: World, job: Job, entrants: List[int], beat: Callable[[str], None]
) -> List[Dict[str, Any]]:
    """Return this rank's meetings; collective over all ranks, of which those not taking part wait."""
    large = max(_SMALL, min(_LARGE, job.plan.max_bytes))
    small_s: Dict[int, float] = {}
    large_s: Dict[int, float] = {}
    all_rounds = rounds(entrants)
    for number in range(max(1, min(_TOURNAMENTS, _MOST_ROUNDS // max(1, len(all_rounds))))):
        for turn, meetings in enumerate(all_rounds):
            beat("pairs, tournament %d, round %d" % (number + 1, turn + 1))
            back_end.barrier()
            peer = meetings.get(world.rank)
            if peer is not None:
                tries = _least(back_end, world, job, peer, _SMALL, _SMALL_CALLS)
                small_s[peer] = min(tries, small_s.get(peer, tries))
                tries = _least(back_end, world, job, peer, large, 1)
                large_s[peer] = min(tries, large_s.get(peer, tries))
    return [
        {"peer": peer, "small_s": small_s[peer], "large_s": large_s[peer], "large_bytes": large}
        for peer in sorted(small_s)
    ]


def _least(back_end: BackEnd, world: World, job: Job, peer: int, size: int, calls: int) -> float:
    mine = back_end.tensor("int64", [world.rank], size // 8)
    theirs = back_end.tensor("int64", [0], size // 8)
    call = sabotage.slowed(
        job.plan.sabotage, world.rank, functools.partial(back_end.exchange, peer, mine, theirs)
    )
    least = float("inf")
    for _ in range(_TRIES + 1):
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        least = min(least, (time.perf_counter() - begin) / calls)
    return least
