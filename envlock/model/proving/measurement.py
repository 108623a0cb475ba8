"""What ranks measured of their communication: times by size, pairs, training; and their codecs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from envlock.model.decode import Table
from envlock.model.frozen import dataclass

_GIGA = 1e9
_KIB = 1024
_UNITS = ("B", "KiB", "MiB", "GiB")


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """How long reductions of one size took.

    Attributes:
        bytes: the message size.
        iterations: how many calls make up a sample.
        samples: seconds per call, each the mean over that many calls.
    """

    bytes: int
    iterations: int
    samples: tuple[float, ...]

    @property
    def least(self) -> float:
        """The shortest sample: on processors that others share, the closest to the truth."""
        return min(self.samples)

    @property
    def median(self) -> float:
        """The median sample."""
        from statistics import median  # noqa: PLC0415 - slow to import for those who read no measurements

        return median(self.samples)

    @property
    def most(self) -> float:
        """The longest sample."""
        return max(self.samples)


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Times by message size for one way of calling.

    Attributes:
        mode: ``single`` (one tensor), ``fused`` (eight in flight together) or ``unfused`` (one after
            another).
        points: in order of size.
    """

    mode: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """Messages between two ranks while all others are silent.

    Attributes:
        peer: the other rank.
        small_s: seconds to exchange 8 bytes.
        large_s: seconds to exchange ``large_bytes``.
        large_bytes: size of the large message in bytes.
    """

    peer: int
    small_s: float
    large_s: float
    large_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """Some steps of data-parallel training.

    Attributes:
        steps: how many, including warm-ups.
        digest: the digest of every parameter's bytes at the end.
        gradient_bytes: the size of all gradients together.
        seconds: the time of each step after the warm-ups.
        computing: seconds of this rank's own work in each step; empty where it cannot be separated.
    """

    steps: int
    digest: str
    gradient_bytes: int
    seconds: tuple[float, ...]
    computing: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """What one launch of an allreduce benchmark measured, with float32.

    Attributes:
        ranks: how many processes it saw; 0 where it does not report that.
        sweeps: one after another, size in bytes -> seconds per call on the slowest rank, the mean of many
            calls. Size 0 is a call that sends nothing; not every benchmark has it.
    """

    ranks: int
    sweeps: tuple[Mapping[int, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A known benchmark and the probe, launched alternately on the same ranks and measuring alike.

    Attributes:
        program: the benchmark's name, ``IMB-MPI1``.
        back_end: the probe's back end with which it is compared.
        ours: the probe's launches.
        theirs: the benchmark's launches; the first of ours and the first of theirs are a pair, and so on.
        budget_s: the seconds allowed for both.
        failed: why there are no more launches, if a program failed.
    """

    program: str
    back_end: str
    ours: tuple[Launch, ...]
    theirs: tuple[Launch, ...]
    budget_s: float
    failed: str = ""


def algorithm_gb_s(size: int, seconds: float) -> float:
    """Algorithm bandwidth in 10^9 bytes per second: size over time (nccl-tests, doc/PERFORMANCE.md)."""
    return size / seconds / _GIGA if seconds > 0 else 0.0


def bus_gb_s(size: int, seconds: float, ranks: int) -> float:
    """Bus bandwidth of an allreduce, comparable for all world sizes: times 2 (n - 1) / n (likewise)."""
    return algorithm_gb_s(size, seconds) * 2 * (ranks - 1) / ranks


def time_text(seconds: float) -> str:
    """Format a time with three digits, in a suitable unit."""
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def message_size(size: float) -> str:
    """Format bytes in binary units, with at most four digits."""
    unit = 0
    while size >= _KIB and unit < len(_UNITS) - 1:
        size, unit = size / _KIB, unit + 1
    return f"{size:.4g} {_UNITS[unit]}"


def slowest(points: Sequence[Point]) -> Point:
    """Return one size as all ranks together saw it: each sample is that of the slowest rank."""
    samples = tuple(max(parts) for parts in zip(*(point.samples for point in points), strict=True))
    return Point(bytes=points[0].bytes, iterations=points[0].iterations, samples=samples)


def _encode_point(point: Point, ranks: int) -> dict[str, object]:
    """Encode a point with what follows from it; bandwidths are those of the median."""
    return {
        "bytes": point.bytes,
        "iterations": point.iterations,
        "samples": list(point.samples),
        "seconds_min": point.least,
        "seconds_median": point.median,
        "seconds_max": point.most,
        "algorithm_gb_s": round(algorithm_gb_s(point.bytes, point.median), 6),
        "bus_gb_s": round(bus_gb_s(point.bytes, point.median, ranks), 6),
    }


def encode_curve(curve: Curve, ranks: int) -> dict[str, object]:
    """Encode a curve."""
    return {"mode": curve.mode, "points": [_encode_point(point, ranks) for point in curve.points]}


def decode_curve(table: Table) -> Curve:
    """Decode a curve.

    Raises:
        RequestError: a part is missing or malformed.
    """
    points = table.tables("points")
    return Curve(
        mode=table.text("mode"),
        points=tuple(
            Point(
                bytes=point.integer("bytes"),
                iterations=point.integer("iterations"),
                samples=point.numbers("samples"),
            )
            for point in points
        ),
    )


def encode_meeting(meeting: Meeting) -> dict[str, object]:
    """Encode a meeting."""
    return {
        "peer": meeting.peer,
        "small_s": meeting.small_s,
        "large_s": meeting.large_s,
        "large_bytes": meeting.large_bytes,
    }


def decode_meeting(table: Table) -> Meeting:
    """Decode a meeting.

    Raises:
        RequestError: a part is missing or malformed.
    """
    return Meeting(
        peer=table.integer("peer"),
        small_s=table.number("small_s"),
        large_s=table.number("large_s"),
        large_bytes=table.integer("large_bytes"),
    )


def encode_training(training: Training) -> dict[str, object]:
    """Encode a training."""
    return {
        "steps": training.steps,
        "digest": training.digest,
        "gradient_bytes": training.gradient_bytes,
        "seconds": list(training.seconds),
        "computing": list(training.computing),
    }


def decode_training(table: Table) -> Training | None:
    """Decode a training; ``None`` where there was none.

    Raises:
        RequestError: a part is missing or malformed.
    """
    if not table.has("digest"):
        return None
    return Training(
        steps=table.integer("steps"),
        digest=table.text("digest"),
        gradient_bytes=table.integer("gradient_bytes"),
        seconds=table.numbers("seconds"),
        computing=table.numbers("computing"),
    )
