"""Communication stacks compared: what was measured of each, and which to use; and its codec."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping

from envlock.model.decode import Table
from envlock.model.frozen import dataclass
from envlock.model.proving.measurement import Curve, decode_curve, encode_curve

SINGLE = "single"
"""The mode of one message at a time; ``fused`` and ``unfused`` are those of several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A stack and a way of using it.

    Attributes:
        back_end: the stack.
        mode: ``single``, ``fused`` or ``unfused``.
    """

    back_end: str
    mode: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What to use for messages in a range of sizes.

    Attributes:
        least: the smallest measured size in the range, in bytes.
        most: the largest, likewise.
        best: the fastest way.
        close: ways that are nearly as fast throughout the range.
        factor: how many times slower the slowest stack is at worst.
    """

    least: int
    most: int
    best: Way
    close: tuple[Way, ...]
    factor: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaling:
    """Training with constant work per rank.

    Attributes:
        back_end: the stack.
        gradient_bytes: how many bytes each step reduces.
        seconds: number of ranks -> median seconds of a step on the slowest rank.
    """

    back_end: str
    gradient_bytes: int
    seconds: Mapping[int, float]

    def efficiency(self, ranks: int) -> float | None:
        """Return the time on one rank over that on ``ranks`` ranks; ``None`` without the former."""
        return self.seconds[1] / self.seconds[ranks] if 1 in self.seconds else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """One rank's training as Horovod recorded it.

    Attributes:
        steps: how many times the tensors were reduced.
        tensors: how many tensors.
        recorded: seconds from these tensors' first event to their last.
        seconds: kind of event -> the union of its intervals, in seconds; ``idle`` is what none covers.
    """

    steps: int
    tensors: int
    recorded: float
    seconds: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Everything that was measured.

    Attributes:
        started: when, UTC.
        ranks: how many ranks took part in the reductions.
        hosts: where they ran.
        curves: stack -> its curves; each sample is the slowest rank's time.
        absent: stack -> why it was not applicable.
        failed: stack -> what went wrong.
        one: which to use for one message at a time.
        many: which to use for eight tensors that are ready at once.
        scaling: training times, by stack.
        timelines: Horovod's own records, by stack.
        crowd: a note that ranks shared processors, so that times reflect that above all; empty if they did
            not.
    """

    started: dt.datetime
    ranks: int
    hosts: tuple[str, ...]
    curves: Mapping[str, tuple[Curve, ...]]
    absent: Mapping[str, str]
    failed: Mapping[str, str]
    one: tuple[Advice, ...]
    many: tuple[Advice, ...]
    scaling: tuple[Scaling, ...]
    timelines: Mapping[str, Timeline]
    crowd: str = ""


def encode_comparison(comparison: Comparison) -> dict[str, object]:
    """Encode a comparison; times in seconds, sizes in bytes, bandwidth in 10^9 bytes per second."""
    return {
        "started": comparison.started.isoformat(),
        "ranks": comparison.ranks,
        "hosts": list(comparison.hosts),
        "crowded": comparison.crowd,
        "curves": {
            name: [encode_curve(curve, comparison.ranks) for curve in curves]
            for name, curves in comparison.curves.items()
        },
        "one_message": [_encode_advice(one) for one in comparison.one],
        "eight_tensors": [_encode_advice(one) for one in comparison.many],
        "scaling": [
            {
                "back_end": one.back_end,
                "gradient_bytes": one.gradient_bytes,
                "steps": [
                    {"ranks": count, "seconds": seconds, "efficiency": one.efficiency(count)}
                    for count, seconds in one.seconds.items()
                ],
            }
            for one in comparison.scaling
        ],
        "timelines": {
            name: {
                "steps": timeline.steps,
                "tensors": timeline.tensors,
                "recorded_s": timeline.recorded,
                "seconds": dict(timeline.seconds),
            }
            for name, timeline in comparison.timelines.items()
        },
        "not_applicable": dict(comparison.absent),
        "failed": dict(comparison.failed),
    }


def _encode_advice(advice: Advice) -> dict[str, object]:
    return {
        "least_bytes": advice.least,
        "most_bytes": advice.most,
        "best": {"back_end": advice.best.back_end, "mode": advice.best.mode},
        "as_good": [{"back_end": way.back_end, "mode": way.mode} for way in advice.close],
        "slowest_factor": round(advice.factor, 3),
    }


def decode_comparison(table: Table) -> Comparison:
    """Invert ``encode_comparison``.

    Raises:
        RequestError: a part is missing or malformed.
    """
    curves, timelines = table.table("curves"), table.table("timelines")
    return Comparison(
        started=table.moment("started"),
        ranks=table.integer("ranks"),
        hosts=table.texts("hosts"),
        curves={name: tuple(decode_curve(one) for one in curves.tables(name)) for name in curves.names()},
        absent=table.mapping("not_applicable"),
        failed=table.mapping("failed"),
        one=tuple(_decode_advice(one) for one in table.tables("one_message")),
        many=tuple(_decode_advice(one) for one in table.tables("eight_tensors")),
        scaling=tuple(_decode_scaling(one) for one in table.tables("scaling")),
        timelines={name: _decode_timeline(timelines.table(name)) for name in timelines.names()},
        crowd=table.text("crowded", ""),
    )


def _decode_advice(table: Table) -> Advice:
    return Advice(
        least=table.integer("least_bytes"),
        most=table.integer("most_bytes"),
        best=_decode_way(table.table("best")),
        close=tuple(_decode_way(one) for one in table.tables("as_good")),
        factor=table.number("slowest_factor"),
    )


def _decode_way(table: Table) -> Way:
    return Way(back_end=table.text("back_end"), mode=table.text("mode"))


def _decode_scaling(table: Table) -> Scaling:
    return Scaling(
        back_end=table.text("back_end"),
        gradient_bytes=table.integer("gradient_bytes"),
        seconds={one.integer("ranks"): one.number("seconds") for one in table.tables("steps")},
    )


def _decode_timeline(table: Table) -> Timeline:
    return Timeline(
        steps=table.integer("steps"),
        tensors=table.integer("tensors"),
        recorded=table.number("recorded_s"),
        seconds={kind: table.table("seconds").number(kind) for kind in table.table("seconds").names()},
    )
