"""Whether the probe is as fast as a known benchmark that measured the same, and how sure that is.

Two launches of one program differ: ranks lie elsewhere in memory, and a virtual machine's processors get more
or less of the real ones. So both are launched several times in turn, and each pair of neighbours, which saw
about the same machine, gives one ratio. The median of these ratios counts, with its 95 % confidence interval
by order statistics, whatever the distribution (T. Hoefler and R. Belli, "Scientific benchmarking of parallel
computing systems", SC15, rules 5 to 7). A size is *within* a tenth if the whole interval is, *slower* or
*faster* if all of it lies beyond, and otherwise undecided: a benchmark that itself varies by more than a
tenth cannot show a difference of a tenth, which is no reason to pass.

Within a launch all sizes are swept several times, and the lower quartile of a size's sweeps counts. Other
processes and a lower clock speed only ever add to a time, and half of all sweeps may be disturbed on a shared
machine. A sweep is itself a mean of many calls, so slowness in only some calls still counts; and both
programs are treated alike.

The time of an empty call is subtracted from each time; the probe's is mostly Python. What Python costs around
a real message is less well known, because its code evicts the library's from the processor's nearest caches:
up to half as much again is allowed for before a size is called slower. For a size to be within a tenth, only
the empty call is subtracted.
"""

from __future__ import annotations

import math
import statistics
from enum import StrEnum

from envlock.model.frozen import dataclass
from envlock.model.proving.measurement import Launch, Reference, message_size, time_text
from envlock.model.proving.report import Outcome

NEAR = 0.1
"""How far from the reference a time may be, as a fraction of it."""

_CONFIDENCE = 0.95
_CALL_DOUBT = 0.5
"""How much more Python may cost around a real call, as a fraction of an empty one; a third was measured."""

_QUARTER = 4
_MOST_TOLD = 4
_NOTHING = 0

_Pairs = tuple[tuple[Launch, Launch], ...]


class Standing(StrEnum):
    """How one message size compares."""

    WITHIN = "within"
    SLOWER = "slower"
    FASTER = "faster"
    VARIES = "varies"
    CALL = "call"
    FEW = "few"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The comparison at one message size.

    Attributes:
        bytes: the size.
        seconds: the median over the probe's launches of their lower quartiles, including the empty call.
        reference_s: the same for the benchmark.
        ratio: the median over pairs of launches, after subtracting the empty calls.
        low: the lower end of its interval; the module says what Python's calls may subtract from it.
        high: the upper end.
        reference_varies: how much the benchmark's own launches differ, as a fraction; those outside the
            interval's order statistics do not count.
        ours_vary: how much the probe's launches differ.
        standing: the conclusion.
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
    """Return all sizes that both measured, in ascending order, except those too short for the clock."""
    pairs = _pairs(reference)
    found = (_row(size, pairs) for size in sorted(_sizes_of_both(pairs)))
    return tuple(row for row in found if row)


def settled(reference: Reference) -> bool:
    """Whether no size would gain from more launches."""
    found = rows(reference)
    return bool(found) and all(row.standing not in (Standing.VARIES, Standing.FEW) for row in found)


def verdict(reference: Reference, found: tuple[Row, ...]) -> tuple[Outcome, str]:
    """Return the verdict on all sizes together; only a comparison that could have failed passes."""
    by = {one: [row for row in found if row.standing is one] for one in Standing}
    away = [*by[Standing.SLOWER], *by[Standing.FASTER]]
    said = [text for text in (_sizes_text(one, by[one], reference, len(found)) for one in Standing) if text]
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
    """Return a row for the report; ``judged`` says whether the size was decided."""
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
    """Return k such that the k-th smallest and k-th largest of so many values bound their median.

    It follows from the binomial distribution of how many values lie below the median (Hoefler and Belli,
    section 3.1.3), and is 0 if there are too few values for the confidence.
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
        return None  # below the clock's resolution; a single launch of ours may be, if it was disturbed
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
    """Draw the conclusion from sorted ratios; ``least`` are the ratios if Python costs the most it may."""
    if k == 0:
        return Standing.FEW
    low, high = ratios[k - 1], ratios[-k]
    if least[k - 1] > 1 + NEAR:
        return Standing.SLOWER
    if high < 1 - NEAR:
        return Standing.FASTER
    if low >= 1 - NEAR and high <= 1 + NEAR:
        return Standing.WITHIN
    # If the uncertainty of the call alone is wider than the tolerance, more launches would not help.
    doubt = statistics.median(ratios) - statistics.median(least)
    return Standing.CALL if doubt > NEAR else Standing.VARIES


def _less_nothing(launch: Launch, size: int, times: float = 1.0) -> float:
    """Return the lower quartile of the sweeps, minus ``times`` that of their empty calls."""
    return _of_launch(launch, size) - times * _of_launch(launch, _NOTHING)


def _of_launch(launch: Launch, size: int) -> float:
    """Return the lower quartile of the sweeps; 0 for an empty call that was not timed."""
    return sorted(sweep.get(size, 0.0) for sweep in launch.sweeps)[len(launch.sweeps) // _QUARTER]


def _nothing_of(reference: Reference) -> float:
    """Return the time of the probe's empty call, in seconds."""
    return statistics.median(_of_launch(launch, _NOTHING) for launch in reference.ours)


def _sizes_text(standing: Standing, found: list[Row], reference: Reference, sizes: int) -> str:
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
        f"undecided at {count}: between {launches} launches {program} itself varies by {theirs:.0%} "
        f"and the probe by {ours:.0%}: {detail}"
    )
