"""The report of a verification: evidence bound to one lock, certain nodes and a time; and its codec."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from envlock.model.decode import Table
from envlock.model.frozen import dataclass
from envlock.model.proving.comparison import Comparison, decode_comparison, encode_comparison
from envlock.model.proving.rank_result import RankResult, decode_rank, encode_rank
from envlock.model.proving.surroundings import Surroundings, decode_surroundings, encode_surroundings

SCHEMA = "envlock/report/1"


class Outcome(StrEnum):
    """The result of a check."""

    PASSED = "passed"
    FAILED = "failed"
    WARNED = "warned"
    NOT_APPLICABLE = "not-applicable"
    CRASHED = "crashed"
    TIMED_OUT = "timed-out"

    @property
    def good(self) -> bool:
        """Whether the environment may be used as far as this check is concerned."""
        return self in (Outcome.PASSED, Outcome.WARNED, Outcome.NOT_APPLICABLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One check.

    Attributes:
        id: the kind of check, ``P1``; several checks may share one.
        name: what it examined, for users.
        outcome: its result.
        message: why, one sentence without a full stop.
        details: the evidence; any JSON.
        seconds: how long it took; 0 where it was not measured.
    """

    id: str
    name: str
    outcome: Outcome
    message: str
    details: Mapping[str, object] = field(default_factory=dict)
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One verification.

    Attributes:
        lock: the lock file's name.
        lock_sha256: the digest of its bytes.
        group: the group that was verified.
        target: the target that it was verified on.
        started: when, UTC.
        seconds: how long it took.
        envlock: the version of envlock.
        knowledge: the digest of the knowledge base.
        host: facts of the host that verified; any JSON.
        checks: every check, in order.
        ranks: every rank that wrote a heartbeat.
        ranks_asked: how many ranks were to be started; 0 for none.
        surroundings: what it depends on besides the lock.
        comparison: a comparison of the lock's communication stacks; ``None`` where there was none.
    """

    lock: str
    lock_sha256: str
    group: str
    target: str
    started: dt.datetime
    seconds: float
    envlock: str
    knowledge: str
    host: Mapping[str, object]
    checks: tuple[Check, ...]
    ranks: tuple[RankResult, ...]
    ranks_asked: int = 0
    surroundings: Surroundings = field(default_factory=Surroundings)
    comparison: Comparison | None = None

    @property
    def passed(self) -> bool:
        """Whether something was checked and nothing spoke against the environment."""
        passed = any(check.outcome is Outcome.PASSED for check in self.checks)
        return passed and all(check.outcome.good for check in self.checks)

    @property
    def hosts(self) -> tuple[str, ...]:
        """The nodes that took part: those of the ranks, or else the one that imported everything."""
        ranks = sorted({rank.host for rank in self.ranks})
        return tuple(ranks) or (str(self.host.get("name", "?")),)


def decode_check(table: Table) -> Check:
    """Decode a check from a report, or from the probe's result of one process.

    Raises:
        RequestError: a part is missing, unknown or malformed.
    """
    check = Check(
        id=table.text("id"),
        name=table.text("name"),
        outcome=table.choice("outcome", Outcome),
        message=table.text("message"),
        details=table.document("details"),
        seconds=table.number("seconds", 0.0),
    )
    table.done()
    return check


def _encode_check(check: Check) -> dict[str, object]:
    """Encode a check as the report shows it."""
    return {
        "id": check.id,
        "name": check.name,
        "outcome": check.outcome.value,
        "message": check.message,
        "details": dict(check.details),
        "seconds": check.seconds,
    }


def encode_report(report: Report) -> dict[str, object]:
    """Encode a report."""
    return {
        "schema": SCHEMA,
        "passed": report.passed,
        "lock": report.lock,
        "lock_sha256": report.lock_sha256,
        "group": report.group,
        "target": report.target,
        "started": report.started.isoformat(),
        "seconds": report.seconds,
        "envlock": report.envlock,
        "knowledge": report.knowledge,
        "host": dict(report.host),
        "surroundings": encode_surroundings(report.surroundings),
        "ranks_asked": report.ranks_asked,
        "checks": [_encode_check(check) for check in report.checks],
        "ranks": [encode_rank(rank) for rank in report.ranks],
        "comparison": encode_comparison(report.comparison) if report.comparison else None,
    }


def decode_report(document: Mapping[str, object], *, file: str) -> Report:
    """Invert ``encode_report``.

    Raises:
        RequestError: it is not a report, or a part is missing, unknown or malformed.
    """
    table = Table(document, file=file)
    if table.text("schema") != SCHEMA:
        raise table.error(f"not a report of this form ({SCHEMA})", key="schema")
    report = Report(
        lock=table.text("lock"),
        lock_sha256=table.text("lock_sha256"),
        group=table.text("group"),
        target=table.text("target"),
        started=table.moment("started"),
        seconds=table.number("seconds"),
        envlock=table.text("envlock"),
        knowledge=table.text("knowledge"),
        host=table.document("host"),
        checks=tuple(decode_check(part) for part in table.tables("checks")),
        ranks=tuple(decode_rank(part, file=file) for part in table.documents("ranks")),
        ranks_asked=table.integer("ranks_asked"),
        surroundings=_surroundings(table),
        comparison=_comparison(table),
    )
    if table.flag("passed", default=report.passed) != report.passed:
        raise table.error("passed contradicts the checks", key="passed")
    table.document("today")  # added by ``envlock report --json`` for the day on which it was called
    table.done()
    return report


def _comparison(table: Table) -> Comparison | None:
    there = table.has("comparison") and table.raw("comparison") is not None
    return decode_comparison(table.table("comparison")) if there else None


def _surroundings(table: Table) -> Surroundings:
    if not table.has("surroundings"):
        raise table.error("the report has no surroundings", key="surroundings")
    return decode_surroundings(table.table("surroundings"))
