"""From raw results of the probe to checks with messages, and what they are together a sign of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from envlock.lifecycle.launch_evidence import launch_check, supervision_check
from envlock.model.decode import Table
from envlock.model.probing import Plan, Supervision
from envlock.model.rank_result import RankResult
from envlock.model.report import Check, Outcome, decode_check

_KINDS = {"mpi4py": "C2", "torch-gloo": "C5", "horovod-torch": "C11", "horovod-tensorflow": "C11"}
_EQUAL_FACTS = ("python", "prefix")
_SEVERITY = (
    Outcome.CRASHED,
    Outcome.TIMED_OUT,
    Outcome.FAILED,
    Outcome.WARNED,
    Outcome.PASSED,
    Outcome.NOT_APPLICABLE,
)


def assemble(
    one_process: Mapping[str, object] | None,
    ranks: tuple[RankResult, ...],
    supervision: Supervision | None,
    plan: Plan,
) -> tuple[Check, ...]:
    """Every check of a verification.

    Args:
        one_process: the probe's result of one process; none if it left none.
        ranks: the last heartbeats.
        supervision: what was seen of the ranks from outside; none if no ranks were started.
        plan: what was asked.

    Raises:
        RequestError: the probe's result has another shape than expected.
    """
    checks = list(_one_process_checks(one_process))
    if supervision is None:
        message = (
            "no communication library in this environment" if not plan.back_ends else "no ranks were started"
        )
        return (*checks, _check("L1", "launch", Outcome.NOT_APPLICABLE, message))
    checks.append(launch_check(ranks, supervision, plan))
    checks.append(_sameness_check(ranks))
    checks += _thread_check(ranks, plan)
    checks += [_back_end_check(name, ranks, supervision, plan) for name in plan.back_ends]
    checks += _libraries_checks(ranks)
    checks.append(supervision_check(ranks, supervision))
    return tuple(checks)


def _one_process_checks(document: Mapping[str, object] | None) -> Iterator[Check]:
    if document is None:
        message = "the probe left no result: the interpreter itself does not run"
        yield _check("P1", "imports", Outcome.CRASHED, message)
        return
    for part in Table(document, file="the probe's result").tables("checks"):
        yield decode_check(part)


def _sameness_check(ranks: tuple[RankResult, ...]) -> Check:
    """Every rank must run the same interpreter, environment and MPI (L5)."""
    values: dict[str, dict[str, list[str]]] = {}
    for rank in ranks:
        told = {name: rank.facts.get(name) for name in _EQUAL_FACTS} | {"MPI": rank.mpi.get("library")}
        for name, value in told.items():
            if value is not None:
                values.setdefault(name, {}).setdefault(str(value), []).append(rank.label)
    differing = {name: found for name, found in values.items() if len(found) > 1}
    if not ranks:
        return _check("L5", "sameness", Outcome.NOT_APPLICABLE, "no rank reported")
    if differing:
        told_ = "; ".join(
            f"{name}: " + ", ".join(f"{value} ({len(labels)} ranks)" for value, labels in found.items())
            for name, found in differing.items()
        )
        return _check("L5", "sameness", Outcome.FAILED, f"ranks differ in {told_}", differing=differing)
    return _check("L5", "sameness", Outcome.PASSED, "same interpreter, environment and MPI on every rank")


def _thread_check(ranks: tuple[RankResult, ...], plan: Plan) -> Iterator[Check]:
    """Horovod calls MPI from a thread of its own, beside whoever initialised it (C3, horovod#1260)."""
    levels = {rank.label: rank.mpi["thread_multiple"] for rank in ranks if "thread_multiple" in rank.mpi}
    if not levels or not any(name.startswith("horovod") for name in plan.back_ends):
        return
    lacking = [label for label, multiple in levels.items() if not multiple]
    if lacking:
        message = (
            f"MPI runs without MPI_THREAD_MULTIPLE, which Horovod's thread needs, on {', '.join(lacking)}"
        )
        yield _check("C3", "MPI threads", Outcome.FAILED, message)
    else:
        yield _check("C3", "MPI threads", Outcome.PASSED, "MPI runs with MPI_THREAD_MULTIPLE")


def _back_end_check(name: str, ranks: tuple[RankResult, ...], supervision: Supervision, plan: Plan) -> Check:
    results = {rank.label: rank.back_ends[name] for rank in ranks if name in rank.back_ends}
    details: dict[str, object] = {
        "bandwidth": {label: dict(one.bandwidth) for label, one in results.items() if one.bandwidth},
        "facts": dict(next((one.facts for one in results.values() if one.facts), {})),
    }
    seconds = max((one.seconds for one in results.values()), default=0.0)
    outcome, message = _back_end_verdict(name, ranks, supervision, plan)
    if not outcome.good:
        details["tracebacks"] = {label: one.traceback for label, one in results.items() if one.traceback}
    return Check(
        id=_KINDS.get(name, "C2"),
        name=f"{name} allreduce",
        outcome=outcome,
        message=message,
        details=details,
        seconds=seconds,
    )


def _back_end_verdict(
    name: str, ranks: tuple[RankResult, ...], supervision: Supervision, plan: Plan
) -> tuple[Outcome, str]:
    """Wrong sums first, since they are worse than errors; errors before absence, since they explain it."""
    results = [(rank, rank.back_ends[name]) for rank in ranks if name in rank.back_ends]
    wrong = [(rank, one) for rank, one in results if one.wrong]
    if wrong:
        rank, one = wrong[0]
        first = one.wrong[0]
        return Outcome.FAILED, (
            f"wrong sums on {len(wrong)} of {plan.ranks} ranks; {rank.label} of {one.size}: {first.case}, "
            f"element {first.index}: expected {first.expected:g}, got {first.got:g}"
        )
    raised = [(rank, one) for rank, one in results if one.error]
    if raised:
        rank, one = raised[0]
        return Outcome.FAILED, f"{len(raised)} of {plan.ranks} ranks raised; {rank.label}: {one.error}"
    if len(results) < plan.ranks:
        return _absent(name, len(results), ranks, supervision, plan)
    sizes = sorted({one.size for _, one in results if one.size is not None})
    if sizes != [plan.ranks]:
        told = ", ".join(map(str, sizes))
        return Outcome.FAILED, f"summed over worlds of size {told}, not over all {plan.ranks} ranks"
    return Outcome.PASSED, f"{results[0][1].reductions} sums exact on each of {plan.ranks} ranks"


def _absent(
    name: str, finished: int, ranks: tuple[RankResult, ...], supervision: Supervision, plan: Plan
) -> tuple[Outcome, str]:
    inside = [rank for rank in ranks if rank.phase.startswith(f"{name}:") and not rank.done]
    if inside:
        outcome = Outcome.TIMED_OUT if supervision.timed_out else Outcome.CRASHED
        told = ", ".join(f"{rank.label} in {rank.phase!r}" for rank in inside)
        return outcome, f"{finished} of {plan.ranks} ranks came through; {told}"
    if finished:
        return Outcome.CRASHED, f"only {finished} of {plan.ranks} ranks came through"
    return Outcome.NOT_APPLICABLE, "not reached, see the launch and supervision"


def _libraries_checks(ranks: tuple[RankResult, ...]) -> Iterator[Check]:
    """The worst audit among the ranks, which hold more libraries than one process without MPI (P3)."""
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
