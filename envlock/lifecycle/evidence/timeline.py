"""Horovod's timeline: how much of a training step was negotiation, waiting, copying and reduction.

The file is a Chrome trace: each tensor is a process, named by a metadata event; ``B`` and ``E`` events with
times in microseconds open and close its activities, and while its reduction is negotiated, an ``X`` event
with a rank's number says that this rank is ready (Horovod, docs/timeline.rst). Activities of several tensors
overlap, so for each kind the union of its intervals counts. What no tensor covers is the program's own work
and Horovod's sleep: it looks for tensors once in ``HOROVOD_CYCLE_TIME`` (Horovod, docs/tensor-fusion.rst).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from envlock.model.frozen import dataclass
from envlock.model.proving.comparison import Timeline

_MICRO = 1e-6
_NEGOTIATION = "NEGOTIATE_ALLREDUCE"
_REDUCED = "ALLREDUCE"
_KINDS = (
    ("waiting", re.compile(r"(QUEUE$|WAIT_|INIT_)")),
    ("copying", re.compile(r"MEMCPY_")),
    ("reduction", re.compile(r"(MPI|NCCL|GLOO|CCL|MLSL|DDL)_\w*REDUCE")),
)
"""Kind -> names of activities; ``ALLREDUCE`` itself spans all that follows negotiation and is left out."""

KINDS = ("negotiation", "waiting", "copying", "reduction")
"""The kinds that are distinguished; waiting is for other ranks, for data and in queues."""
IDLE = "idle"
"""No tensor is under way: the program computes, or Horovod sleeps until its next cycle begins."""

Interval = tuple[str, float, float]


@dataclass(slots=True)
class _Track:
    """One tensor."""

    begun: list[tuple[str, float]] = field(default_factory=list)
    ready: list[float] = field(default_factory=list)
    intervals: list[Interval] = field(default_factory=list)
    busy: list[tuple[float, float]] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    reduced: int = 0

    def see(self, phase: object, name: str, at: float) -> None:
        self.times.append(at)
        if phase == "B":
            self.begun.append((name, at))
            self.reduced += name == _REDUCED
        elif phase == "X" and name.isdecimal():
            self.ready.append(at)
        elif phase == "E" and self.begun:
            self._close(*self.begun.pop(), at)

    def _close(self, name: str, begin: float, end: float) -> None:
        """Close an activity; from the first rank being ready to the last, negotiation counts as waiting."""
        self.busy.append((begin, end))
        if name == _NEGOTIATION:
            first, last = min(self.ready, default=end), max(self.ready, default=end)
            self.ready.clear()
            waiting: Interval = ("waiting", first, last)
            self.intervals += [("negotiation", begin, first), waiting, ("negotiation", last, end)]
        kind = next((kind for kind, pattern in _KINDS if pattern.match(name)), None)
        if kind:
            self.intervals.append((kind, begin, end))


def read_timeline(text: str) -> Timeline | None:
    """Read a timeline, even one that was cut off; ``None`` if it holds no reduction.

    Only tensors that were reduced again and again belong to training.
    """
    tracks: dict[object, _Track] = {}
    for event in _events(text):
        at = event.get("ts")
        if isinstance(at, int | float):
            track = tracks.setdefault(event.get("pid"), _Track())
            track.see(event.get("ph"), str(event.get("name", "")), float(at))
    steps = max((track.reduced for track in tracks.values()), default=0)
    if not steps:
        return None
    training = [track for track in tracks.values() if 2 * track.reduced > steps]
    times = [at for track in training for at in track.times]
    intervals = [interval for track in training for interval in track.intervals]
    seconds = {
        kind: _union([(begin, end) for one, begin, end in intervals if one == kind]) * _MICRO
        for kind in KINDS
    }
    recorded = (max(times) - min(times)) * _MICRO
    seconds[IDLE] = recorded - _union([span for track in training for span in track.busy]) * _MICRO
    return Timeline(steps=steps, tensors=len(training), recorded=recorded, seconds=seconds)


def _events(text: str) -> Iterator[Mapping[str, object]]:
    """Yield events, one a line as Horovod writes them; an unfinished file lacks its last bracket."""
    for line in text.splitlines():
        bare = line.strip().strip("[],").strip()
        try:
            event = json.loads(bare) if bare else None
        except json.JSONDecodeError:
            continue
        if isinstance(event, dict):
            yield event


def _union(intervals: Sequence[tuple[float, float]]) -> float:
    total, reached = 0.0, float("-inf")
    for begin, end in sorted(intervals):
        total += max(0.0, end - max(begin, reached))
        reached = max(reached, end)
    return total
