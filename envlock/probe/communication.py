"""All checks of one back end, in order; the rank's document grows as they run.

A back end's part of a rank's result::

    {"outcome": "passed" | "failed" | "raised" | "not-applicable", "rank": 0, "size": 2, "local_rank": 0,
     "facts": {...}, "max_bytes": 1048576, "reductions": 60,
     "wrong": [{"case": "float32, 1024 bytes, in place", "index": 0, "expected": 3.0, "got": 4.0,
                "elements": 1}],
     "seconds": 0.1, "parts": [{"id": "C1", "name": "barrier storm", "outcome": "passed",
                                "message": "1000 barriers", "seconds": 0.01}],
     "curves": [...], "pairs": [...], "training": {...}, "mixed": {...}, "error": ..., "traceback": ...}

Curves are described in ``timing.py``, pairs in ``pairs.py``, training in ``training.py``.
"""

import time
from typing import Any, Callable, Dict, Iterator, List

from . import payload, timing
from .back_ends.base import BackEnd, Job, NotApplicableError, World
from .errors import described
from .exactness import Tally, collective, reduce_among, reduce_exactly
from .gathering import by_host, everyones
from .heartbeat import Heartbeat
from .memory import affordable
from .pairs import tournament
from .patience import in_time
from .placement import host_name, machine
from .training import train
from .turns import waited_s

_KIND = {"mpi4py": "C2", "torch-gloo": "C5", "torch-nccl": "C6", "torch-mpi": "C10"}
_COLLECTIVE_BYTES = (1 << 10, 1 << 18)
_BUDGET = {False: 0.1, True: 0.25}
_MODES = {False: ("single",), True: ("single", "fused", "unfused")}
_ENOUGH = 2


class Session:
    """A back end that is open on this rank, and its part of the result."""

    def __init__(
        self, back_end: BackEnd, world: World, job: Job, heart: Heartbeat, result: Dict[str, Any]
    ) -> None:
        self.back_end = back_end
        self.world = world
        self.job = job
        self.result = result
        self._heart = heart

    def beat(self, phase: str) -> None:
        """Enter a phase of this back end."""
        self._heart.beat("%s: %s" % (self.back_end.name, phase))

    def in_time(self, sizes: List[int], series: str) -> Iterator[int]:
        """Yield these sizes while the plan's patience lasts; collective."""
        return in_time(self.back_end, self.world, sizes, self.job.plan.patience_s, series)

    def attempt(self, identifier: str, name: str, call: Callable[[], str]) -> None:
        """Run one part; an exception becomes its result, and the others continue."""
        self.beat(name)
        begin = time.monotonic()
        part: Dict[str, Any] = {"id": identifier, "name": name, "outcome": "passed"}
        try:
            part["message"] = call()
        except NotApplicableError as reason:
            part.update(outcome="not-applicable", message=str(reason))
        except Exception as error:
            part.update(outcome="failed", message=described(error))
        part["seconds"] = round(time.monotonic() - begin, 4)
        self.result["parts"].append(part)


def check(session: Session) -> None:
    """Check exact values, then everything else that was requested."""
    result, plan = session.result, session.job.plan
    begin = time.monotonic()
    result.update(parts=[], curves=[], pairs=[], training={})
    session.beat("hosts")
    hosts = by_host(session.back_end, session.world, host_name())
    largest = _largest(session)
    result["max_bytes"] = largest
    if plan.correctness:
        result["max_bytes"] = _correctness(session, hosts, largest)
    if plan.timing:
        _times(session, largest)
    session.attempt("C12", "training", lambda: _training(session, "training"))
    if plan.correctness:
        session.attempt("C12", "mixed precision", lambda: _training(session, "mixed", mixed=True))
    result["seconds"] = round(time.monotonic() - begin, 4)
    result["outcome"] = "failed" if result.get("wrong") else "passed"


def _times(session: Session, largest: int) -> None:
    """Time every way of calling by size, and measure the share of time spent waiting for a processor."""
    compare = session.job.plan.compare
    waited, begin = waited_s(), time.monotonic()
    for mode in _MODES[compare]:
        curve = timing.curve(
            session.back_end,
            session.world,
            session.job,
            mode,
            session.in_time(timing.sizes(largest, mode), "times." + mode),
            _BUDGET[compare],
            session.beat,
        )
        session.result["curves"].append(curve)
    share = (waited_s() - waited) / max(time.monotonic() - begin, 1e-9)
    session.result["facts"]["waited_share"] = round(share, 4)


def _correctness(session: Session, hosts: List[List[int]], largest: int) -> int:
    """Check exact values; return the size of the largest message that was summed."""
    back_end, world, job = session.back_end, session.world, session.job
    tally = Tally()
    session.result.update(outcome="failed", reductions=0, wrong=tally.wrong)
    growing = session.in_time(payload.sizes(largest), "sums")
    reached = reduce_exactly(back_end, world, job, growing, tally, session.beat)
    session.result["reductions"] = tally.reductions
    kind = _KIND.get(back_end.name, "C11")
    sizes = [size for size in _COLLECTIVE_BYTES if size <= largest] or [largest]
    for name in back_end.collectives:
        session.attempt(kind, name, lambda name=name: collective(back_end, world, name, sizes))  # type: ignore[misc]
    for identifier, name, call in back_end.own_checks():
        session.attempt(identifier, name, lambda call=call: call(world))  # type: ignore[misc]
    if type(back_end).on_gpus is not BackEnd.on_gpus:
        session.attempt(kind, "GPU tensors", lambda: _on_gpus(session, largest))
    session.attempt(kind, "two ranks of one host", lambda: _within(session, hosts))
    session.attempt(kind, "one rank of each host", lambda: _across(session, hosts))
    return reached


def _on_gpus(session: Session, largest: int) -> str:
    """Repeat the sums with tensors on GPUs."""
    moved, tally = session.back_end.on_gpus(session.world), Tally()
    mine = affordable(largest, 1, moved.spare())
    largest = min(everyones(session.back_end, session.world, mine, "memory.gpus"))
    sizes = session.in_time(payload.sizes(largest), "sums.gpus")
    reduce_exactly(moved, session.world, session.job, sizes, tally, session.beat)
    return tally.told()


def _largest(session: Session) -> int:
    """The largest message that every machine has memory for, which several hosts may share."""
    machines = by_host(session.back_end, session.world, machine())
    here = next(len(ranks) for ranks in machines if session.world.rank in ranks)
    mine = affordable(session.job.plan.max_bytes, here, session.back_end.spare())
    return max(8, min(everyones(session.back_end, session.world, mine, "memory")))


def _within(session: Session, hosts: List[List[int]]) -> str:
    """Reduce among the first two ranks of every host, all hosts at once."""
    groups = [ranks[:_ENOUGH] for ranks in hosts if len(ranks) >= _ENOUGH]
    if not groups:
        raise NotApplicableError("no host has two ranks")
    return _among(session, groups)


def _across(session: Session, hosts: List[List[int]]) -> str:
    """Reduce among the first ranks of all hosts."""
    if len(hosts) < _ENOUGH:
        raise NotApplicableError("one host")
    return _among(session, [[ranks[0] for ranks in hosts]])


def _among(session: Session, groups: List[List[int]]) -> str:
    world = session.world
    part = session.back_end.part(world, groups)
    if part is None:
        raise NotApplicableError("not in a group")
    (members,) = [group for group in groups if world.rank in group]
    smaller = World(world.rank, len(members), None, {}, members)
    return "ranks %s: %s" % (
        ", ".join(map(str, members)),
        reduce_among(part, smaller, session.job),
    )


def meet(session: Session) -> None:
    """Run the tournament of pairs: between hosts if there are several, otherwise between all ranks."""
    hosts = by_host(session.back_end, session.world, host_name())
    entrants = [ranks[0] for ranks in hosts] if len(hosts) > 1 else hosts[0]
    session.result["pairs"] = tournament(session.back_end, session.world, session.job, entrants, session.beat)


def _training(session: Session, kept_as: str, *, mixed: bool = False) -> str:
    found = train(session.back_end, session.world, session.job, session.job.plan.steps, mixed=mixed)
    session.result[kept_as] = found
    return "%d steps" % found["steps"]


def interleave(sessions: List[Session], heart: Heartbeat) -> str:
    """Use all libraries in turn, several times, within one process (C14).

    Raises:
        WrongValueError: one of them no longer sums correctly.
        NotApplicableError: there are fewer than two.
    """
    if len(sessions) < _ENOUGH:
        raise NotApplicableError("one library that communicates")
    for number in range(3):
        for session in sessions:
            heart.beat("in turn: %s, round %d" % (session.back_end.name, number + 1))
            reduce_among(session.back_end, session.world, session.job)
    return "3 rounds of %s exact" % ", ".join(session.back_end.name for session in sessions)
