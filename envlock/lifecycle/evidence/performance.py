"""Turn times into checks: against a known benchmark, for slow pairs of ranks, and for stragglers (C16)."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import replace

from envlock.lifecycle.evidence.against_reference import encode_row, rows, verdict
from envlock.lifecycle.evidence.machines import crowded, waited
from envlock.model.counting import first_of, number_of
from envlock.model.proving.measurement import (
    Curve,
    Meeting,
    Reference,
    algorithm_gb_s,
    bus_gb_s,
    encode_curve,
    message_size,
    slowest,
    time_text,
)
from envlock.model.proving.probing import Plan
from envlock.model.proving.rank_result import BackEndResult, RankResult
from envlock.model.proving.report import Check, Outcome

_SLOW = 2.0
_VERY_SLOW = 5.0
_TURNS_S = 0.05
"""How many seconds longer a message may take because its ranks take turns on a processor: several scheduler
time slices (sched(7)), in the fastest of dozens of tries. Anything slower has another cause."""

_FEWEST = 3
_MOST_TOLD = 4


def performance_checks(
    ranks: tuple[RankResult, ...], plan: Plan, references: tuple[Reference, ...]
) -> Iterator[Check]:
    """Yield the times by size of every back end, then pairs and stragglers.

    Args:
        ranks: the last heartbeats.
        plan: what the probe was asked.
        references: what known benchmarks measured on the same ranks.
    """
    for name in plan.back_ends:
        curves = merged_curves(name, ranks)
        if curves:
            reference = next((one for one in references if one.back_end == name), None)
            yield _timing_check(name, curves, ranks, reference)
    yield from _pairs_check(ranks)
    yield from _stragglers_check(ranks, plan)


def merged_curves(name: str, ranks: tuple[RankResult, ...]) -> tuple[Curve, ...]:
    """Merge all ranks' curves of a back end: at each point the slowest rank counts.

    There are none if ranks are worlds of their own, each of which chose how often to call.
    """
    results = [rank.back_ends[name] for rank in ranks if name in rank.back_ends]
    if len({tuple(_called(result)) for result in results}) > 1:
        return ()
    found = []
    for curves in zip(*(result.curves for result in results), strict=False):
        points = zip(*(curve.points for curve in curves), strict=False)
        found.append(Curve(mode=curves[0].mode, points=tuple(slowest(column) for column in points)))
    return tuple(found)


def _called(result: BackEndResult) -> Iterator[tuple[int, int, int]]:
    """Yield how often each size was called."""
    for curve in result.curves:
        yield from ((point.bytes, point.iterations, len(point.samples)) for point in curve.points)


def _timing_check(
    name: str, curves: tuple[Curve, ...], ranks: tuple[RankResult, ...], reference: Reference | None
) -> Check:
    result = next(rank.back_ends[name] for rank in ranks if name in rank.back_ends)
    size = result.size or len(ranks)
    details: dict[str, object] = {"ranks": size, "curves": [encode_curve(curve, size) for curve in curves]}
    first, last = curves[0].points[0], curves[0].points[-1]
    speeds = (
        f"{message_size(first.bytes)} in {time_text(first.median)}; {message_size(last.bytes)} at "
        f"{algorithm_gb_s(last.bytes, last.median):.3g} GB/s, "
        f"bus {bus_gb_s(last.bytes, last.median, size):.3g}"
    )
    outcome = Outcome.NOT_APPLICABLE
    message = f"no reference to judge by; {speeds}"
    if reference and (astray := _other_ranks(reference, size)):
        message = f"{astray}; {speeds}"
    elif reference and (compared := rows(reference)):
        details["reference"] = {
            "program": reference.program,
            "launches": min(len(reference.ours), len(reference.theirs)),
            "budget_s": reference.budget_s,
            "sizes": [encode_row(row) for row in compared],
        }
        outcome, said = verdict(reference, compared)
        message = f"{said}; {speeds}"
    elif reference:
        message = f"{reference.failed or f'{reference.program} reported no size that was timed'}; {speeds}"
    if outcome is Outcome.WARNED and (crowd := crowded(ranks)):
        outcome, message = Outcome.NOT_APPLICABLE, f"{crowd}, so times are not judged; {message}"
    return Check(
        id="C16",
        name=f"{name} timing",
        outcome=outcome,
        message=message,
        details=details,
        seconds=result.seconds,
    )


def _other_ranks(reference: Reference, size: int) -> str:
    """Say that the benchmark or the probe ran with another number of ranks than communicated; else empty."""
    for program, launches in ((reference.program, reference.theirs), ("the probe", reference.ours)):
        seen = next((one.ranks for one in launches if one.ranks not in (0, size)), None)
        if seen is not None:
            return f"{program} saw {seen} ranks instead of {size}"
    return ""


def _pairs_check(ranks: tuple[RankResult, ...]) -> Iterator[Check]:
    """Compare each pair with the median pair; for an even number the lower one, since half may be slow."""
    hosts = {rank.number: rank.host for rank in ranks}
    pairs = meetings(ranks)
    if not pairs:
        return
    rows = [
        {
            "ranks": list(pair),
            "hosts": [hosts.get(number, "") for number in pair],
            "small_s": meeting.small_s,
            "large_s": meeting.large_s,
            "large_bytes": meeting.large_bytes,
            "gb_s": round(algorithm_gb_s(meeting.large_bytes, meeting.large_s), 6),
        }
        for pair, meeting in pairs.items()
    ]
    outcome, message = _pairs_verdict(pairs, hosts)
    met = next(name for rank in ranks for name, one in rank.back_ends.items() if one.pairs)
    if outcome is not Outcome.PASSED and (crowd := crowded(ranks) or waited(ranks, met)):
        beyond = _pairs_verdict(pairs, hosts, _TURNS_S)
        uncertain = Outcome.NOT_APPLICABLE, f"{crowd}, so pairs are not judged; {message}"
        outcome, message = uncertain if beyond[0] is Outcome.PASSED else beyond
    yield Check(id="C16", name="pairs of ranks", outcome=outcome, message=message, details={"pairs": rows})


def meetings(ranks: tuple[RankResult, ...]) -> dict[tuple[int, int], Meeting]:
    """Return every pair of ranks that met, the lower number first.

    The slower of its two ends counts: if one direction is slow, only the receiver waits for it.
    """
    pairs: dict[tuple[int, int], Meeting] = {}
    for rank in ranks:
        for meeting in (meeting for end in rank.back_ends.values() for meeting in end.pairs):
            if rank.number is not None:
                pair = (min(rank.number, meeting.peer), max(rank.number, meeting.peer))
                pairs[pair] = _slower(pairs.get(pair, meeting), meeting)
    return pairs


def _slower(one: Meeting, other: Meeting) -> Meeting:
    return replace(one, small_s=max(one.small_s, other.small_s), large_s=max(one.large_s, other.large_s))


def _pairs_verdict(
    pairs: dict[tuple[int, int], Meeting], hosts: dict[int | None, str], turns_s: float = 0.0
) -> tuple[Outcome, str]:
    """Judge pairs over twice the median, and above it by more than turns on shared processors explain."""
    if len(pairs) < _FEWEST:
        return Outcome.NOT_APPLICABLE, f"{number_of(len(pairs), 'pair')}, nothing to compare it with"
    small = statistics.median_low([meeting.small_s for meeting in pairs.values()])
    large = statistics.median_low([meeting.large_s for meeting in pairs.values()])
    factors = {
        pair: max(_times(meeting.small_s, small, turns_s), _times(meeting.large_s, large, turns_s))
        for pair, meeting in pairs.items()
    }
    slow = {pair: factor for pair, factor in factors.items() if factor > _SLOW}
    if not slow:
        return Outcome.PASSED, (
            f"{len(pairs)} pairs, none over {_SLOW:g} times the median of {time_text(small)} and "
            f"{time_text(large)}"
        )
    outcome = Outcome.FAILED if max(slow.values()) > _VERY_SLOW else Outcome.WARNED
    common = set.intersection(*(set(pair) for pair in slow))
    shown = ", ".join(
        f"{_named(pair[0], hosts)} and {_named(pair[1], hosts)} {factor:.1f} times the median"
        for pair, factor in sorted(slow.items(), key=lambda item: -item[1])[:_MOST_TOLD]
    )
    shared = f"; all with {_named(min(common), hosts)}" if common and len(slow) > 1 else ""
    return outcome, f"{len(slow)} of {len(pairs)} pairs are slow{shared}: {shown}"


def _times(seconds: float, usual: float, turns_s: float) -> float:
    """Return how many times the usual it takes; 1 if turns on a processor may explain it."""
    return seconds / usual if seconds - usual > turns_s else 1.0


def _named(number: int, hosts: dict[int | None, str]) -> str:
    return f"rank {number} on {hosts.get(number, '?')}"


def _stragglers_check(ranks: tuple[RankResult, ...], plan: Plan) -> Iterator[Check]:
    """Find ranks whose own work takes so long that they hold up all others at each reduction."""
    for name in plan.back_ends:
        own = {
            rank.label: statistics.median(training.computing)
            for rank in ranks
            if name in rank.back_ends
            and (training := rank.back_ends[name].training) is not None
            and training.computing
        }
        if len(own) < _FEWEST - 1:
            continue
        usual = statistics.median_low(own.values())
        late = {label: seconds for label, seconds in own.items() if seconds > _SLOW * usual}
        shown = first_of(
            [f"{label} {seconds / usual:.1f} times the median" for label, seconds in late.items()]
        )
        outcome, message = Outcome.PASSED, f"no rank's own work takes over {_SLOW:g} times the median of "
        message += time_text(usual)
        if late and (crowd := crowded(ranks) or waited(ranks, name)):
            message = f"{crowd}, so own work is not judged; a training step: {shown}"
            outcome = Outcome.NOT_APPLICABLE
        elif late:
            outcome, message = Outcome.WARNED, f"own work of a training step: {shown}"
        details: dict[str, object] = {"back_end": name, "seconds": own}
        yield Check(id="C16", name="stragglers", outcome=outcome, message=message, details=details)
        return
