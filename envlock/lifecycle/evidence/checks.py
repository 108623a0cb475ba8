"""Turn raw results of the probe into checks with messages, and recognise what failures are a sign of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from envlock.lifecycle.evidence.communication import communication_checks
from envlock.lifecycle.evidence.gpus import NO_GPU, gpus_reached
from envlock.lifecycle.evidence.launch import launch_check, supervision_check, why_not
from envlock.lifecycle.evidence.network import network_checks
from envlock.lifecycle.evidence.performance import performance_checks
from envlock.lifecycle.evidence.process import process_checks
from envlock.lifecycle.evidence.rank_facts import rank_facts_checks
from envlock.lifecycle.evidence.sameness import sameness_check
from envlock.lifecycle.evidence.signatures import diagnose, recognised
from envlock.model.decode import Table
from envlock.model.knowing.running import Signature
from envlock.model.proving.measurement import Reference
from envlock.model.proving.probing import OneProcess, Plan, Supervision
from envlock.model.proving.rank_result import RankResult
from envlock.model.proving.report import Check, Outcome, decode_check

_FAMILIES = "SLPCW"
_SEVERITY = (
    Outcome.CRASHED,
    Outcome.TIMED_OUT,
    Outcome.FAILED,
    Outcome.WARNED,
    Outcome.PASSED,
    Outcome.NOT_APPLICABLE,
)


def assemble(
    one_process: OneProcess,
    ranks: tuple[RankResult, ...],
    supervision: Supervision | None,
    plan: Plan,
    references: tuple[Reference, ...] = (),
    signatures: tuple[Signature, ...] = (),
) -> tuple[Check, ...]:
    """Return every check of a verification: static, launch, one process, communication, then supervision.

    Args:
        one_process: the result of the probe in one process.
        ranks: the last heartbeats.
        supervision: what was observed of the ranks from outside; ``None`` if no ranks were started.
        plan: what the probe was asked.
        references: what known benchmarks measured on the same ranks.
        signatures: the knowledge base's signatures of failures.

    Raises:
        RequestError: the probe's result has an unexpected shape.
    """
    alone = one_process.document
    checks = [
        _told_where(check, alone, ranks, plan) for check in _one_process_checks(one_process, signatures)
    ]
    if supervision is None:
        message = (
            "no communication library in this environment" if not plan.back_ends else "no ranks were started"
        )
        return _in_order([*checks, _check("L1", "launch", Outcome.NOT_APPLICABLE, message)])
    signs = diagnose(ranks, supervision, plan, signatures)
    checks.append(launch_check(ranks, supervision, plan, signs))
    checks.append(sameness_check(ranks, alone))
    checks += rank_facts_checks(ranks, plan)
    checks += network_checks(ranks)
    checks += process_checks(ranks, supervision, plan)
    checks += communication_checks(ranks, supervision, plan)
    checks += performance_checks(ranks, plan, references)
    checks += _libraries_checks(ranks)
    checks.append(supervision_check(ranks, supervision, signs))
    return _in_order(checks)


def _in_order(checks: list[Check]) -> tuple[Check, ...]:
    return tuple(sorted(checks, key=lambda check: (_FAMILIES.index(check.id[0]), int(check.id[1:]))))


def _one_process_checks(process: OneProcess, signatures: tuple[Signature, ...]) -> Iterator[Check]:
    if process.document is None:
        signs = recognised(process.output, signatures)
        warned = [
            process.trouble,
            why_not(process.output, signs).rstrip("."),
            *(f"{sign.meaning}: {sign.action}" for sign in signs[:1]),
        ]
        message = f"the probe left no result: {'; '.join(filter(None, warned))}"
        details = {"command": list(process.command), "output": process.output}
        yield _check("P1", "imports", Outcome.CRASHED, message, **details)
        return
    for part in Table(process.document, file="the probe's result").tables("checks"):
        check = _with_sign(decode_check(part), signatures)
        if process.command and check.id == "P1":
            place = {"host": process.document.get("host")}
            yield replace(
                check, message=f"{check.message}, on {place['host']}", details={**check.details, **place}
            )
        else:
            yield check


def _with_sign(check: Check, signatures: tuple[Signature, ...]) -> Check:
    """Add to a failed check what its message is a sign of, and what to do about it."""
    signs = () if check.outcome.good else recognised(check.message, signatures)
    if not signs:
        return check
    details = {**check.details, "signature": signs[0].document()}
    return replace(check, message=f"{check.message}; {signs[0].action}", details=details)


def _told_where(
    check: Check, one_process: Mapping[str, object] | None, ranks: tuple[RankResult, ...], plan: Plan
) -> Check:
    """Name the host in a check that found no GPU, if no ranks ran there and ranks elsewhere have GPUs."""
    host = (one_process or {}).get("host")
    with_gpus = sorted({rank.host for rank in ranks if gpus_reached(rank, plan)})
    if not with_gpus or host in {rank.host for rank in ranks} or not check.message.startswith(NO_GPU):
        return check
    place = f"on {host}, where this was checked; {with_gpus[0]} has some"
    return replace(check, message=f"{check.message} {place}")


def _libraries_checks(ranks: tuple[RankResult, ...]) -> Iterator[Check]:
    """Yield the ranks' worst library audit: they load more libraries than a process without MPI (P3)."""
    audits = [
        (Outcome(str(rank.libraries["outcome"])), rank) for rank in ranks if "outcome" in rank.libraries
    ]
    if audits:
        outcome, rank = min(audits, key=lambda audit: _SEVERITY.index(audit[0]))
        message = str(rank.libraries.get("message", ""))
        yield Check(
            id="P3",
            name="native libraries of ranks",
            outcome=outcome,
            message=message if outcome is Outcome.PASSED else f"{rank.label}: {message}",
            details={"families": rank.libraries.get("families", {})},
        )


def _check(identifier: str, name: str, outcome: Outcome, message: str, **details: object) -> Check:
    return Check(id=identifier, name=name, outcome=outcome, message=message, details=details)
