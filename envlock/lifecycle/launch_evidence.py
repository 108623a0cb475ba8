"""Whether launcher and ranks agree on how many there are, and whether all of them came to their end."""

from __future__ import annotations

from collections import Counter

from envlock.lifecycle.launcher_signs import meaning
from envlock.model.probing import Ending, Plan, Supervision
from envlock.model.rank_result import RankResult
from envlock.model.report import Check, Outcome


def launch_check(ranks: tuple[RankResult, ...], supervision: Supervision, plan: Plan) -> Check:
    """MPI's size, the launcher's size and the number asked for are one, and every rank is there once (L1)."""
    outcome, message = _launch_verdict(ranks, supervision, plan)
    details: dict[str, object] = {
        "command": list(supervision.command),
        "mpi": {rank.label: dict(rank.mpi) for rank in ranks},
        "launcher": {rank.label: dict(rank.launcher) for rank in ranks},
    }
    if not outcome.good:
        details["output"] = supervision.output
    return Check(id="L1", name="launch", outcome=outcome, message=message, details=details)


def _launch_verdict(
    ranks: tuple[RankResult, ...], supervision: Supervision, plan: Plan
) -> tuple[Outcome, str]:
    if not ranks:
        return _nobody(supervision, plan)
    if alone := _worlds_of_one(ranks, plan):
        return Outcome.FAILED, alone
    counts = Counter(rank.number for rank in ranks if rank.number is not None)
    missing = [number for number in range(plan.ranks) if number not in counts]
    if missing and supervision.reported < plan.ranks:
        outcome = Outcome.TIMED_OUT if supervision.timed_out else Outcome.FAILED
        there = ", ".join(rank.label for rank in ranks)
        return outcome, f"no sign of rank {_listed(missing)} of {plan.ranks}; there are {there}"
    twice = sorted(number for number, count in counts.items() if count > 1)
    if twice:
        return Outcome.FAILED, f"rank {_listed(twice)} exists more than once among {len(ranks)} processes"
    return _sizes_agree(ranks, plan)


def _sizes_agree(ranks: tuple[RankResult, ...], plan: Plan) -> tuple[Outcome, str]:
    for rank in ranks:
        for who, told in (("MPI", rank.mpi.get("size")), ("the launcher", rank.launcher.get("size"))):
            if told not in (None, plan.ranks):
                return (
                    Outcome.FAILED,
                    f"{plan.ranks} ranks were asked for; {who} counts {told} ({rank.label})",
                )
    hosts = ", ".join(sorted({rank.host for rank in ranks}))
    return Outcome.PASSED, f"{len(ranks)} ranks on {hosts}, as MPI, launcher and plan agree"


def _worlds_of_one(ranks: tuple[RankResult, ...], plan: Plan) -> str:
    """The sign of a launcher and an MPI library that do not know each other (ompi#13523, horovod#30)."""
    if plan.ranks == 1 or not all(rank.mpi and rank.mpi.get("size") == 1 for rank in ranks):
        return ""
    library = str(ranks[0].mpi.get("library", "of unknown make")).split(",")[0]
    sources = sorted({str(rank.launcher.get("source")) for rank in ranks if rank.launcher.get("source")})
    seen = f", which speaks as {', '.join(sources)}" if sources else ", of which the ranks see no variable"
    return (
        f"{len(ranks)} worlds of size 1 instead of one of {plan.ranks}: the launcher{seen}, "
        f"belongs to another MPI than the library that the ranks load ({library})"
    )


def _nobody(supervision: Supervision, plan: Plan) -> tuple[Outcome, str]:
    last = meaning(supervision.output) or _last_line(supervision.output)
    if supervision.ending is Ending.NOT_STARTED:
        return Outcome.FAILED, f"{supervision.command[0]} cannot be started: {supervision.output}"
    if supervision.timed_out:
        return Outcome.TIMED_OUT, f"none of {plan.ranks} ranks appeared in {supervision.seconds:g} s: {last}"
    return (
        Outcome.FAILED,
        f"the launcher ended with status {supervision.status} before any rank began: {last}",
    )


def supervision_check(ranks: tuple[RankResult, ...], supervision: Supervision) -> Check:
    """Every rank came to its end by itself (W1); otherwise who did not, and where it was."""
    outcome, message = _supervision_verdict(ranks, supervision)
    details: dict[str, object] = {
        "ending": supervision.ending.value,
        "status": supervision.status,
        "unfinished": [
            {"rank": one.rank, "host": one.host, "pid": one.pid, "phase": one.phase, "seconds": one.seconds}
            for one in supervision.unfinished
        ],
        "stacks": dict(supervision.stacks),
    }
    if not outcome.good:
        details["output"] = supervision.output
    return Check(
        id="W1",
        name="supervision",
        outcome=outcome,
        message=message,
        details=details,
        seconds=supervision.seconds,
    )


def _supervision_verdict(ranks: tuple[RankResult, ...], supervision: Supervision) -> tuple[Outcome, str]:
    if supervision.timed_out:
        limit = "one phase" if supervision.ending is Ending.PHASE_DEADLINE else "the whole run"
        return Outcome.TIMED_OUT, f"the deadline of {limit} passed: {_who(supervision)}"
    if supervision.ending is Ending.NOT_STARTED:
        return Outcome.NOT_APPLICABLE, "nothing to supervise"
    if supervision.unfinished:
        sign = meaning(supervision.output)
        told = f"the launcher ended with status {supervision.status}: {_who(supervision)}"
        return Outcome.CRASHED, f"{told}; {sign}" if sign else told
    clean = all(one.outcome == "passed" for rank in ranks for one in rank.back_ends.values())
    if supervision.status and clean:
        return Outcome.CRASHED, f"every rank finished and the launcher ended with status {supervision.status}"
    return Outcome.PASSED, f"{len(ranks)} ranks came to their end by themselves"


def _who(supervision: Supervision) -> str:
    """Those who fell behind; if none did, all who are still there."""
    left = supervision.unfinished
    behind = [one for one in left if one.step < max(other.step for other in left)] or list(left)
    told = [
        f"rank {'?' if one.rank is None else one.rank} on {one.host} was last in {one.phase!r}"
        for one in behind
    ]
    ahead = len(left) - len(behind)
    if ahead:
        told.append(f"{ahead} of its peers had come to {left[-1].phase!r}")
    silent = supervision.expected - supervision.reported
    if silent > 0:
        told.insert(0, f"{silent} of {supervision.expected} ranks never appeared")
    return "; ".join(told) or "every rank had finished and the launcher did not end"


def _last_line(output: str) -> str:
    return next((line for line in reversed(output.splitlines()) if line.strip()), "no output")


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))
