"""What one rank of the communication checks did, according to its last heartbeat; and its codec."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, field

from envlock.model.decode import Table
from envlock.model.frozen import dataclass
from envlock.model.proving.measurement import (
    Curve,
    Meeting,
    Training,
    decode_curve,
    decode_meeting,
    decode_training,
    encode_curve,
    encode_meeting,
    encode_training,
)
from envlock.model.proving.wrong_sum import WrongSum, decode_wrong, encode_wrong


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One check other than sums of a communication library on one rank.

    Attributes:
        id: the kind of check, ``C1``.
        name: what was done, ``barrier storm``.
        outcome: ``passed``, ``failed`` or ``not-applicable``.
        message: what was observed, or why it is not applicable.
        seconds: how long it took.
    """

    id: str
    name: str
    outcome: str
    message: str
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BackEndResult:
    """One communication library on one rank.

    Attributes:
        outcome: ``passed``, ``failed`` (wrong sums), ``raised`` (``error`` says what) or ``not-applicable``
            (likewise).
        rank: the library's number for this rank; ``None`` if it could not be initialised.
        size: the world size it sees; likewise.
        local_rank: the local rank; ``None`` where the library does not give it.
        facts: versions and features.
        reductions: how many sums were compared.
        wrong: the first few wrong sums.
        seconds: how long the comparison took.
        max_bytes: the size of the largest message that was summed, or could have been.
        parts: the checks other than sums.
        curves: times by size, one curve for each way of calling.
        pairs: messages with each other rank, if this library ran the pairwise test.
        training: the training of a tiny model; ``None`` if there was none.
        mixed: the same in mixed precision.
        error: what was raised; empty if nothing.
        traceback: where; likewise.
    """

    outcome: str
    rank: int | None = None
    size: int | None = None
    local_rank: int | None = None
    facts: Mapping[str, object] = field(default_factory=dict)
    reductions: int = 0
    wrong: tuple[WrongSum, ...] = ()
    seconds: float = 0.0
    max_bytes: int = 0
    parts: tuple[Part, ...] = ()
    curves: tuple[Curve, ...] = ()
    pairs: tuple[Meeting, ...] = ()
    training: Training | None = None
    mixed: Training | None = None
    error: str = ""
    traceback: str = ""

    @property
    def good(self) -> bool:
        """Whether nothing failed here."""
        return all(
            one in ("passed", "not-applicable")
            for one in (self.outcome, *(part.outcome for part in self.parts))
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RankResult:
    """The result of one rank.

    Attributes:
        host: where it ran.
        pid: its process id.
        phase: the last phase that it entered.
        step: how many phases it entered.
        done: whether it finished.
        launcher: what the launcher says: ``source``, ``rank``, ``size``, ``local_rank``, ``variables``.
        mpi: what MPI says, empty where it did not run: ``rank``, ``size``, ``library``, ``standard`` ...
        facts: what must be equal on all ranks, and limits of this one.
        libraries: ``outcome``, ``message`` and ``families`` of the native libraries at the end.
        back_ends: name -> result, for those that it completed.
    """

    host: str
    pid: int
    phase: str
    step: int
    done: bool
    launcher: Mapping[str, object]
    mpi: Mapping[str, object]
    facts: Mapping[str, object]
    libraries: Mapping[str, object]
    back_ends: Mapping[str, BackEndResult]

    @property
    def rank(self) -> int | None:
        """Its rank: MPI's where MPI runs, otherwise the launcher's."""
        return _whole(self.mpi, "rank") if self.mpi else _whole(self.launcher, "rank")

    @property
    def size(self) -> int | None:
        """The world size, likewise."""
        return _whole(self.mpi, "size") if self.mpi else _whole(self.launcher, "size")

    @property
    def local_rank(self) -> int | None:
        """Its local rank: the launcher's, otherwise that of a back end that knows it."""
        numbers = [_whole(self.launcher, "local_rank"), *(end.local_rank for end in self.back_ends.values())]
        return next((number for number in numbers if number is not None), None)

    @property
    def number(self) -> int | None:
        """The number that tells ranks apart even without MPI: the launcher's, otherwise MPI's."""
        launcher = _whole(self.launcher, "rank")
        return self.rank if launcher is None else launcher

    @property
    def label(self) -> str:
        """Its name for users."""
        return f"rank {'?' if self.number is None else self.number} on {self.host}"


def decode_rank(document: Mapping[str, object], *, file: str) -> RankResult:
    """Decode a heartbeat of the probe, or a rank of a report.

    Raises:
        RequestError: a part is missing or malformed.
    """
    table = Table(document, file=file)
    parts = table.table("back_ends")
    return RankResult(
        host=table.text("host"),
        pid=table.integer("pid"),
        phase=table.text("phase"),
        step=table.integer("step"),
        done=table.flag("done", default=False),
        launcher=_mapping(document, "launcher"),
        mpi=_mapping(document, "mpi"),
        facts=_mapping(document, "facts"),
        libraries=_mapping(document, "libraries"),
        back_ends={
            name: _decode_back_end(parts.table(name), _mapping(document, "back_ends"), name)
            for name in parts.names()
        },
    )


def _decode_back_end(table: Table, back_ends: Mapping[str, object], name: str) -> BackEndResult:
    raw = _mapping(back_ends, name)
    return BackEndResult(
        outcome=table.text("outcome"),
        rank=_whole(raw, "rank"),
        size=_whole(raw, "size"),
        local_rank=_whole(raw, "local_rank"),
        facts=_mapping(raw, "facts"),
        reductions=table.integer("reductions", 0),
        wrong=tuple(decode_wrong(one) for one in table.tables("wrong")),
        seconds=table.number("seconds", 0.0),
        max_bytes=table.integer("max_bytes", 0),
        parts=tuple(_decode_part(one) for one in table.tables("parts")),
        curves=tuple(decode_curve(one) for one in table.tables("curves")),
        pairs=tuple(decode_meeting(one) for one in table.tables("pairs")),
        training=decode_training(table.table("training")),
        mixed=decode_training(table.table("mixed")),
        error=table.text("error", ""),
        traceback=table.text("traceback", ""),
    )


def _decode_part(table: Table) -> Part:
    return Part(
        id=table.text("id"),
        name=table.text("name"),
        outcome=table.text("outcome"),
        message=table.text("message"),
        seconds=table.number("seconds"),
    )


def encode_rank(rank: RankResult) -> dict[str, object]:
    """Encode a rank as the report shows it; ``decode_rank`` reads it back."""
    places = {"rank": rank.rank, "size": rank.size, "local_rank": rank.local_rank}
    return places | {
        "host": rank.host,
        "pid": rank.pid,
        "phase": rank.phase,
        "step": rank.step,
        "done": rank.done,
        "launcher": dict(rank.launcher),
        "mpi": dict(rank.mpi),
        "facts": dict(rank.facts),
        "libraries": dict(rank.libraries),
        "back_ends": {name: _encode_back_end(result) for name, result in rank.back_ends.items()},
    }


def _encode_back_end(result: BackEndResult) -> dict[str, object]:
    return {
        "outcome": result.outcome,
        "rank": result.rank,
        "size": result.size,
        "local_rank": result.local_rank,
        "facts": dict(result.facts),
        "reductions": result.reductions,
        "wrong": [encode_wrong(one) for one in result.wrong],
        "seconds": result.seconds,
        "max_bytes": result.max_bytes,
        "parts": [asdict(part) for part in result.parts],
        "curves": [encode_curve(curve, result.size or 1) for curve in result.curves],
        "pairs": [encode_meeting(pair) for pair in result.pairs],
        "training": encode_training(result.training) if result.training else {},
        "mixed": encode_training(result.mixed) if result.mixed else {},
        "error": result.error,
        "traceback": result.traceback,
    }


def _mapping(document: Mapping[str, object], key: str) -> Mapping[str, object]:
    value = document.get(key)
    return value if isinstance(value, Mapping) else {}


def _whole(document: Mapping[str, object], key: str) -> int | None:
    value = document.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def texts(value: object) -> tuple[str, ...]:
    """Return a list in what a rank reports as texts; empty for anything that is no list."""
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()
