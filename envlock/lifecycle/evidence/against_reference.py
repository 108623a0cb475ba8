"""Whether the probe is as fast as a known benchmark that measured the same, and how sure that is.

Two launches of one program differ: ranks lie elsewhere in memory, a virtual machine's processors get more
or less of the real ones. So both are launched several times in turn, and each pair of neighbours, which saw
about the same machine, gives one ratio. The median of these ratios counts, with the interval in which it
lies with 95 % confidence by its order alone, whatever the distribution (T. Hoefler and R. Belli,
"Scientific benchmarking of parallel computing systems", SC15, rules 5 to 7). A size is *within* a tenth
where the whole interval is, *slower* or *faster* where all of it lies beyond, and else undecided: a
benchmark that itself varies by more than a tenth can show no tenth, which is no reason to pass.

Within a launch all sizes are swept several times, and of each the time counts that a quarter of its sweeps
stay below. Other processes and a processor's lower speed only ever add to a time, and half of all sweeps may
be disturbed on a machine that others use too. A sweep is itself a mean of many calls, so that what is slow
in some calls alone still counts; and both programs are treated alike.

From each time the call of nothing is taken off; the probe's is mostly Python. What Python costs around a
real message is known less well, for its code drives the library's out of the processor's nearest caches: up
to half as much again counts as possible before a size is called slower. What is within a tenth is so with no
more than the call of nothing taken off.
"""

from __future__ import annotations

import math
import statistics
from enum import StrEnum

from envlock.model.frozen import dataclass
from envlock.model.proving.measurement import Launch, Reference, message_size, time_text
from envlock.model.proving.report import Outcome

NEAR = 0.1
"""How far from the reference a time may be, as a part of it."""

_CONFIDENCE = 0.95
_CALL_DOUBT = 0.5
"""The part of a call of nothing that it may cost more around a call of something; a third was measured."""

_QUARTER = 4
_MOST_TOLD = 4
_NOTHING = 0

_Pairs = tuple[tuple[Launch, Launch], ...]


class Standing(StrEnum):
    """How one size compares."""

    WITHIN = "within"
    SLOWER = "slower"
    FASTER = "faster"
    VARIES = "varies"
    CALL = "call"
    FEW = "few"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One size.

    Attributes:
        bytes: the size.
        seconds: the median launch of the probe, with its call of nothing; of each launch the lower quartile.
        reference_s: the median launch of the benchmark, likewise.
        ratio: the median over pairs of launches, each less its call of nothing.
        low: the lower end of its interval; see the module for what Python's calls may take off it.
        high: the upper end.
        reference_varies: how much the benchmark's own launches differ, as a part; those beyond the
            interval's order do not count.
        ours_vary: how much the probe's do.
        standing: what follows.
    """

    bytes: int
    seconds: float
    reference_s: float
    ratio: float
    low: float
    high: float
    reference_varies: float
    ours_vary: float
    standing: Standing


def rows(reference: Reference) -> tuple[Row, ...]:
    """All sizes that both measured, by growing size, but for those that the clock is too coarse for."""
    pairs = _pairs(reference)
    found = (_row(size, pairs) for size in sorted(_sizes_of_both(pairs)))
    return tuple(row for row in found if row)


def settled(reference: Reference) -> bool:
    """Whether more launches would not change what is said of any size."""
    found = rows(reference)
    return bool(found) and all(row.standing not in (Standing.VARIES, Standing.FEW) for row in found)


def verdict(reference: Reference, found: tuple[Row, ...]) -> tuple[Outcome, str]:
    """What is said of all sizes together; only a comparison that could have failed passes."""
    by = {one: [row for row in found if row.standing is one] for one in Standing}
    away = [*by[Standing.SLOWER], *by[Standing.FASTER]]
    said = [text for text in (_told(one, by[one], reference, len(found)) for one in Standing) if text]
    if lost := sorted(_sizes_of_both(_pairs(reference)) - {row.bytes for row in found}):
        listed = ", ".join(map(message_size, lost))
        said.append(f"not told apart from a call of nothing by the clock: {listed}")
    if reference.failed:
        said.append(reference.failed)
    if away:
        return Outcome.WARNED, "; ".join(said)
    if by[Standing.WITHIN] and not by[Standing.VARIES]:
        return Outcome.PASSED, "; ".join(said)
    return Outcome.NOT_APPLICABLE, "; ".join(said)


def encode_row(row: Row) -> dict[str, object]:
    """A row of the report; ``judged`` tells whether the size was decided."""
    return {
        "bytes": row.bytes,
        "seconds": row.seconds,
        "reference_s": row.reference_s,
        "ratio": round(row.ratio, 3),
        "interval": [round(row.low, 3), round(row.high, 3)],
        "reference_varies": round(row.reference_varies, 3),
        "ours_vary": round(row.ours_vary, 3),
        "standing": str(row.standing),
        "judged": row.standing in (Standing.WITHIN, Standing.SLOWER, Standing.FASTER),
    }


def place_in_order(count: int) -> int:
    """The k for which the k-th least and the k-th largest of so many values bound their median.

    By the binomial distribution of how many values lie below the median (Hoefler and Belli, section 3.1.3);
    0 where there are too few for the confidence.
    """
    below, k = 1.0, 0
    while k < count // 2 and 1 - 2 * below / 2.0**count >= _CONFIDENCE:
        k += 1
        below += math.comb(count, k)
    return k


def _pairs(reference: Reference) -> _Pairs:
    return tuple(zip(reference.ours, reference.theirs, strict=False))


def _sizes_of_both(pairs: _Pairs) -> set[int]:
    sweeps = [set(sweep) for pair in pairs for launch in pair for sweep in launch.sweeps]
    return set.intersection(*sweeps) - {_NOTHING} if sweeps else set()


def _row(size: int, pairs: _Pairs) -> Row | None:
    ours = [_less_nothing(mine, size) for mine, _ in pairs]
    sceptical = [_less_nothing(mine, size, 1 + _CALL_DOUBT) for mine, _ in pairs]
    theirs = [_less_nothing(other, size) for _, other in pairs]
    if statistics.median(ours) <= 0 or min(theirs) <= 0:
        return None  # lost in the clock's resolution; one launch of ours may be, where it was disturbed
    ratios = sorted(mine / other for mine, other in zip(ours, theirs, strict=True))
    least = sorted(mine / other for mine, other in zip(sceptical, theirs, strict=True))
    k = place_in_order(len(pairs))
    at = max(k, 1) - 1
    low, high = ratios[at], ratios[-1 - at]
    return Row(
        bytes=size,
        seconds=statistics.median(_of_launch(mine, size) for mine, _ in pairs),
        reference_s=statistics.median(_of_launch(other, size) for _, other in pairs),
        ratio=statistics.median(ratios),
        low=low,
        high=high,
        reference_varies=_spread(theirs, at),
        ours_vary=_spread(ours, at),
        standing=_standing(k, least, ratios),
    )


def _spread(launches: list[float], at: int) -> float:
    ordered = sorted(launches)
    low, high = ordered[at], ordered[-1 - at]
    return high / low - 1 if low > 0 else (high - low) / statistics.median(ordered)


def _standing(k: int, least: list[float], ratios: list[float]) -> Standing:
    """What follows of ratios in order; ``least``: the same if Python costs its most."""
    if k == 0:
        return Standing.FEW
    low, high = ratios[k - 1], ratios[-k]
    if least[k - 1] > 1 + NEAR:
        return Standing.SLOWER
    if high < 1 - NEAR:
        return Standing.FASTER
    if low >= 1 - NEAR and high <= 1 + NEAR:
        return Standing.WITHIN
    # Where the call's doubt alone is wider than what is to be shown, more launches would not help.
    doubt = statistics.median(ratios) - statistics.median(least)
    return Standing.CALL if doubt > NEAR else Standing.VARIES


def _less_nothing(launch: Launch, size: int, times: float = 1.0) -> float:
    """The lower quartile of the sweeps, less that of their calls of nothing."""
    return _of_launch(launch, size) - times * _of_launch(launch, _NOTHING)


def _of_launch(launch: Launch, size: int) -> float:
    """The time that a quarter of the sweeps stay below; 0 for a call of nothing that was not timed."""
    return sorted(sweep.get(size, 0.0) for sweep in launch.sweeps)[len(launch.sweeps) // _QUARTER]


def _nothing_of(reference: Reference) -> float:
    """The probe's call of nothing, in seconds."""
    return statistics.median(_of_launch(one, _NOTHING) for one in reference.ours)


def _told(standing: Standing, found: list[Row], reference: Reference, sizes: int) -> str:
    if not found:
        return ""
    program, launches = reference.program, min(len(reference.ours), len(reference.theirs))
    count = f"{len(found)} of {sizes} sizes"
    detail = ", ".join(
        f"{message_size(row.bytes)} {row.ratio:.2f}x ({row.low:.2f} to {row.high:.2f})"
        for row in found[-_MOST_TOLD:]
    )
    if standing is Standing.WITHIN:
        nothing = _nothing_of(reference)
        less = f", each less its call of nothing ({time_text(nothing)} from Python)" if nothing else ""
        return f"within {NEAR:.0%} of {program} at {count}, {launches} launches of each{less}"
    if standing in (Standing.SLOWER, Standing.FASTER):
        return f"{standing} than {program} by more than {NEAR:.0%} at {count}: {detail}"
    if standing is Standing.FEW:
        few = f"too few launches to judge by, {launches} of each in {reference.budget_s:g} s"
        return f"{few} (--reference-time gives more): {detail}"
    if standing is Standing.CALL:
        call = time_text(_nothing_of(reference))
        return f"{count} too short beside a call from Python, {call}, to tell a tenth: {detail}"
    theirs, ours = (
        max(one) for one in zip(*((row.reference_varies, row.ours_vary) for row in found), strict=True)
    )
    return (
        f"undecided at {count}, for between {launches} launches {program} itself varies by {theirs:.0%} "
        f"and the probe by {ours:.0%}: {detail}"
    )
