"""Whether an environment became slower since it was last found good on the same target (R1).

Of repeated measurements the least time counts, because on shared nodes it is closest to the truth. Even so,
only what is far beyond the noise of such nodes is reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from envlock.lifecycle.evidence.machines import crowded, waited
from envlock.lifecycle.evidence.performance import merged_curves
from envlock.model.counting import first_of
from envlock.model.frozen import dataclass
from envlock.model.proving.comparison import SINGLE
from envlock.model.proving.measurement import Point, bus_gb_s, time_text
from envlock.model.proving.report import Check, Outcome, Report

LOST_BANDWIDTH = 0.25
"""A bus bandwidth that fell by more than this fraction is reported."""
MORE_TIME = 0.5
"""A latency or an import that takes longer by more than this fraction is reported ..."""
LEAST_IMPORT_S = 2.0
"""... but an import only if it takes longer by this many seconds, since less is the disk's cache."""
NAME = "since the last good run"

_STEADY = 1 << 20
_IMPORTS = ("P1", "imports")


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One number that may become worse.

    Attributes:
        name: what was measured, with the message's size.
        value: the number.
        unit: ``GB/s`` or ``s``; bandwidths are better when high, times when low.
        slack: by which fraction it may become worse before it is reported.
        least: how far it must also become worse, in the unit.
    """

    name: str
    value: float
    unit: str
    slack: float
    least: float = 0.0

    def worse_than(self, before: Metric) -> bool:
        """Whether it became worse by more than its slack, and by more than the least."""
        lost = before.value - self.value if self.unit == "GB/s" else self.value - before.value
        return lost > self.slack * before.value and lost > self.least


def metrics(report: Report, beside: Report | None = None) -> tuple[Metric, ...]:
    """Return each back end's latency at the smallest message and bus bandwidth at two, and the imports' time.

    Bandwidth is given at 1 MiB, which is always reduced unless less is asked for, and at the largest message.

    Args:
        report: the report.
        beside: another one; the largest message is then the largest that both reduced, because how far
            messages grow may depend on how long they take.
    """
    return tuple(_metrics(report, beside))


def _metrics(report: Report, beside: Report | None) -> Iterator[Metric]:
    for check in report.checks:
        if (check.id, check.name) == _IMPORTS and check.seconds > 0:
            yield Metric(
                name=check.name, value=check.seconds, unit="s", slack=MORE_TIME, least=LEAST_IMPORT_S
            )
    for name in dict.fromkeys(name for rank in report.ranks for name in rank.back_ends):
        points = _points(report, name)
        if points:
            first = points[0]
            yield Metric(name=f"{name} {first.bytes} bytes", value=first.least, unit="s", slack=MORE_TIME)
            others = {point.bytes for point in _points(beside, name)} if beside else set()
            shared = [point for point in points if point.bytes in others] or points
            steady = [point for point in points if point.bytes <= _STEADY]
            wide = {one.bytes: one for one in (*steady[-1:], shared[-1]) if one.bytes > first.bytes}
            for size, one in wide.items():
                bandwidth = bus_gb_s(size, one.least, len(report.ranks))
                yield Metric(name=f"{name} {size} bytes", value=bandwidth, unit="GB/s", slack=LOST_BANDWIDTH)


def _disturbed(report: Report, metric: Metric) -> bool:
    """Whether ranks shared processors: their times then measure turns on a processor, not the environment."""
    name = metric.name.partition(" ")[0]
    communicated = any(name in rank.back_ends for rank in report.ranks)
    return communicated and bool(crowded(report.ranks) or waited(report.ranks, name))


def _points(report: Report, name: str) -> Sequence[Point]:
    return next((curve.points for curve in merged_curves(name, report.ranks) if curve.mode == SINGLE), ())


def _comparable(before: Report, now: Report) -> bool:
    """Whether two verifications may be compared: same group and target, as many ranks on as many nodes."""
    return (before.group, before.target, len(before.ranks), len(before.hosts)) == (
        now.group,
        now.target,
        len(now.ranks),
        len(now.hosts),
    )


def regression_check(
    now: Report, earlier: Iterable[Report], *, fail: bool = False, accept: bool = False
) -> Check:
    """Compare a verification with the newest good one before it.

    A run that was itself found slower is no measure for later ones, or a lasting loss would be reported only
    once; nor are times of ranks that shared processors, where a run without them is among those before.

    Args:
        now: the verification.
        earlier: those before it, newest first.
        fail: whether becoming slower is a failure rather than a warning.
        accept: whether this run is to be the measure of later ones even if it is slower.
    """
    before = _measure(now, earlier)
    if before is None:
        message = "no earlier good run on this target with as many ranks and nodes"
        return _check(Outcome.NOT_APPLICABLE, message)
    then = {(metric.name, metric.unit): metric for metric in metrics(before, now)}
    both = [
        (then[metric.name, metric.unit], metric)
        for metric in metrics(now, before)
        if (metric.name, metric.unit) in then
    ]
    pairs = [pair for pair in both if not any(_disturbed(report, pair[1]) for report in (before, now))]
    rows = [
        {"name": metric.name, "unit": metric.unit, "before": old.value, "now": metric.value}
        for old, metric in pairs
    ]
    details: dict[str, object] = {
        "before": before.started.isoformat(),
        "lock_sha256": before.lock_sha256,
        "metrics": rows,
    }
    worse = [
        f"{new.name} {metric_text(old)} -> {metric_text(new)}" for old, new in pairs if new.worse_than(old)
    ]
    disturbed = _left_out([new.name for old, new in both if (old, new) not in pairs])
    if not pairs:
        return _check(Outcome.NOT_APPLICABLE, f"nothing to compare was measured in both{disturbed}", details)
    limits = f"{LOST_BANDWIDTH:.0%} in bandwidth or {MORE_TIME:.0%} in time"
    since = f"{before.started:%Y-%m-%d %H:%M}"
    if worse:
        said = f"worse than on {since} by more than {limits}: {'; '.join(worse)}{disturbed}"
        if accept:
            return _check(Outcome.PASSED, f"{said}; accepted as the measure of later runs", details)
        outcome = Outcome.FAILED if fail else Outcome.WARNED
        return _check(outcome, f"{said} (--accept-slower makes it the measure of later runs)", details)
    compared = first_of([new.name for _, new in pairs])
    return _check(Outcome.PASSED, f"no worse than on {since} by {limits}: {compared}{disturbed}", details)


def _measure(now: Report, earlier: Iterable[Report]) -> Report | None:
    """Return the newest run to compare with, if possible one whose ranks had processors of their own."""
    good = (one for one in earlier if one.passed and _comparable(one, now) and not _found_slower(one))
    newest = next(good, None)
    if newest is None or _shared_processors(now):
        return newest
    return next((one for one in chain([newest], good) if not _shared_processors(one)), newest)


def _shared_processors(report: Report) -> bool:
    return any(_disturbed(report, metric) for metric in metrics(report))


def _found_slower(report: Report) -> bool:
    return any((check.id, check.outcome) == ("R1", Outcome.WARNED) for check in report.checks)


def _left_out(names: Sequence[str]) -> str:
    """Say which numbers are not compared, because ranks shared processors; empty for none."""
    return f"; ranks shared processors, so not compared: {first_of(names)}" if names else ""


def metric_text(metric: Metric) -> str:
    """Return a metric's value for people."""
    return time_text(metric.value) if metric.unit == "s" else f"{metric.value:.3g} {metric.unit}"


def _check(outcome: Outcome, message: str, details: dict[str, object] | None = None) -> Check:
    return Check(id="R1", name=NAME, outcome=outcome, message=message, details=details or {})
