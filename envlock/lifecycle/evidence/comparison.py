"""Which communication stack is fastest here, by message size, and how training scales with ranks."""

from __future__ import annotations

import datetime as dt
import statistics
from collections.abc import Mapping

from envlock.lifecycle.evidence.machines import crowded
from envlock.lifecycle.evidence.performance import merged_curves
from envlock.model.proving.comparison import SINGLE, Advice, Comparison, Scaling, Timeline, Way
from envlock.model.proving.measurement import Curve, Training
from envlock.model.proving.rank_result import RankResult
from envlock.model.proving.report import Outcome

TIE = 1.1
"""Within this factor of the fastest, a stack counts as equally fast."""


def compare(
    back_ends: tuple[str, ...],
    runs: Mapping[int, tuple[RankResult, ...]],
    timelines: Mapping[str, Timeline],
    started: dt.datetime,
) -> Comparison:
    """Compare stacks.

    Args:
        back_ends: the stacks to compare.
        runs: number of ranks -> their results; the largest run is the one with curves.
        timelines: stack -> what Horovod recorded of it.
        started: when the comparison started, UTC.
    """
    most = max(runs)
    ranks = runs[most]
    curves = {name: found for name in back_ends if (found := merged_curves(name, ranks))}
    absent = {name: why for name in back_ends if (why := _absent(name, ranks))}
    failed = {name: why for name in back_ends if name not in absent and (why := _failure(name, ranks, most))}
    good = {name: found for name, found in curves.items() if name not in failed}
    return Comparison(
        started=started,
        ranks=most,
        hosts=tuple(sorted({rank.host for rank in ranks})),
        curves=curves,
        absent=absent,
        failed=failed,
        one=advise(good, modes=(SINGLE,)),
        many=advise(good, modes=("fused", "unfused")),
        scaling=tuple(_scaling(name, runs) for name in good),
        timelines=timelines,
        crowd=crowded(ranks),
    )


def _absent(name: str, ranks: tuple[RankResult, ...]) -> str:
    results = [rank.back_ends[name] for rank in ranks if name in rank.back_ends]
    everywhere = results and all(result.outcome == Outcome.NOT_APPLICABLE.value for result in results)
    return results[0].error if everywhere else ""


def _failure(name: str, ranks: tuple[RankResult, ...], wanted: int) -> str:
    results = [rank.back_ends[name] for rank in ranks if name in rank.back_ends]
    for result in results:
        if result.error:
            return result.error
        if result.wrong:
            return f"wrong sum: {result.wrong[0].text}"
        if not result.good:
            messages = "; ".join(part.message for part in result.parts if part.outcome == "failed")
            return messages or f"it ended as {result.outcome!r}"
    return "" if len(results) == wanted else f"{len(results)} of {wanted} ranks came through"


def advise(curves: Mapping[str, tuple[Curve, ...]], modes: tuple[str, ...]) -> tuple[Advice, ...]:
    """Return the fastest way at each size by the median, merging neighbouring sizes with the same answer."""
    times: dict[int, dict[Way, float]] = {}
    for name, found in curves.items():
        for curve in found:
            if curve.mode in modes:
                for point in curve.points:
                    times.setdefault(point.bytes, {})[Way(back_end=name, mode=curve.mode)] = point.median
    advice: list[Advice] = []
    for size, ways in sorted(times.items()):
        best = min(ways, key=lambda way: ways[way])
        close = {way for way, seconds in ways.items() if way != best and seconds <= TIE * ways[best]}
        factor = max(ways.values()) / ways[best]
        last = advice[-1] if advice else None
        if last and last.best == best:
            kept = tuple(way for way in last.close if way in close)
            factor = max(factor, last.factor)
            advice[-1] = Advice(least=last.least, most=size, best=best, close=kept, factor=factor)
        else:
            advice.append(
                Advice(least=size, most=size, best=best, close=tuple(_ways_in_order(close)), factor=factor)
            )
    return tuple(advice)


def _ways_in_order(ways: set[Way]) -> list[Way]:
    """Return ways sorted by name."""
    return sorted(ways, key=lambda way: (way.back_end, way.mode))


def _scaling(name: str, runs: Mapping[int, tuple[RankResult, ...]]) -> Scaling:
    seconds, size = {}, 0
    for count, ranks in sorted(runs.items()):
        trained = [one for rank in ranks if (one := _training(rank, name))]
        if len(trained) == count:
            steps = zip(*(one.seconds for one in trained), strict=False)
            seconds[count] = statistics.median(max(step) for step in steps)
            size = trained[0].gradient_bytes
    return Scaling(back_end=name, gradient_bytes=size, seconds=seconds)


def _training(rank: RankResult, name: str) -> Training | None:
    return rank.back_ends[name].training if name in rank.back_ends else None
