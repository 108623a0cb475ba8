"""Whether launcher and ranks agree on the number of ranks, and whether all ranks ended properly."""

from __future__ import annotations

import re
from collections import Counter

from envlock.lifecycle.evidence.hanging import absent, waiting
from envlock.lifecycle.evidence.signatures import Diagnosis, worlds_of_one
from envlock.model.counting import first_of, number_of
from envlock.model.node_sets import folded, folded_ranks
from envlock.model.proving.probing import Ending, Plan, Supervision
from envlock.model.proving.rank_result import RankResult
from envlock.model.proving.report import Check, Outcome

_MOST_TOLD = 8
_WORD = re.compile(r"\w")
_UNSEEN = re.compile(r"envlock: (\S+) does not see (.+)")
"""What a node prints if a launcher cannot start a rank on it; see the launchers' ``visible.py``."""


def launch_check(
    ranks: tuple[RankResult, ...], supervision: Supervision, plan: Plan, signs: tuple[Diagnosis, ...] = ()
) -> Check:
    """Check that MPI's and the launcher's size equal the number asked for, and each rank exists once (L1)."""
    last_line = next((sign.line for sign in signs if sign.line), "") or _last_line(supervision.output)
    outcome, message = _launch_verdict(ranks, supervision, plan, last_line)
    if not outcome.good and signs:
        message += f": {signs[0].meaning}; {signs[0].action}"
    details: dict[str, object] = {
        "command": list(supervision.command),
        "mpi": {rank.label: dict(rank.mpi) for rank in ranks},
        "launcher": {rank.label: dict(rank.launcher) for rank in ranks},
    }
    if not outcome.good:
        details["output"] = supervision.output
    return Check(id="L1", name="launch", outcome=outcome, message=message, details=details)


def _launch_verdict(
    ranks: tuple[RankResult, ...], supervision: Supervision, plan: Plan, last_line: str
) -> tuple[Outcome, str]:
    if unseen := _unseen(supervision.output):
        return Outcome.FAILED, unseen
    if not ranks:
        return _nobody(supervision, plan, last_line)
    if worlds_of_one(ranks, plan):
        return Outcome.FAILED, f"{len(ranks)} worlds of size 1 instead of one of {plan.ranks}"
    counts = Counter(rank.number for rank in ranks if rank.number is not None)
    missing = [number for number in range(plan.ranks) if number not in counts]
    if missing and supervision.reported < plan.ranks:
        outcome = Outcome.TIMED_OUT if supervision.timed_out else Outcome.FAILED
        there = first_of([rank.label for rank in ranks], _MOST_TOLD)
        return outcome, f"no sign of rank {folded_ranks(missing)} of {plan.ranks}; there are {there}"
    twice = sorted(number for number, count in counts.items() if count > 1)
    if twice:
        return (
            Outcome.FAILED,
            f"rank {folded_ranks(twice)} exists more than once among {len(ranks)} processes",
        )
    return _sizes_agree(ranks, plan)


def _sizes_agree(ranks: tuple[RankResult, ...], plan: Plan) -> tuple[Outcome, str]:
    if all(rank.number is None for rank in ranks):
        return Outcome.FAILED, f"neither launcher nor MPI tells any of {len(ranks)} processes its rank"
    for rank in ranks:
        for who, size in (("MPI", rank.mpi.get("size")), ("the launcher", rank.launcher.get("size"))):
            if size not in (None, plan.ranks):
                return (
                    Outcome.FAILED,
                    f"{plan.ranks} ranks were asked for; {who} counts {size} ({rank.label})",
                )
    hosts = folded({rank.host for rank in ranks})
    nodes = len({(rank.host, rank.facts.get("boot")) for rank in ranks})
    if nodes < plan.nodes:
        return Outcome.FAILED, (
            f"{plan.nodes} nodes were asked for, and all {len(ranks)} ranks run on {hosts}, so that nothing "
            "is known of what lies between nodes"
        )
    counting = {
        "MPI": all(rank.mpi.get("size") for rank in ranks),
        "launcher": all(rank.launcher.get("size") for rank in ranks),
    }
    said = ", ".join(who for who, counted in counting.items() if counted)
    agreed = f"as {said} and plan agree" if said else "one of each number; nobody but the plan counts them"
    return Outcome.PASSED, f"{number_of(len(ranks), 'rank')} on {hosts}, {agreed}"


def _nobody(supervision: Supervision, plan: Plan, last_line: str) -> tuple[Outcome, str]:
    """Say that no rank began; ``last_line`` is the launcher's own message."""
    if supervision.ending is Ending.NOT_STARTED:
        return Outcome.FAILED, f"{supervision.command[0]} cannot be started: {supervision.output}"
    if supervision.timed_out:
        return (
            Outcome.TIMED_OUT,
            f"none of {plan.ranks} ranks appeared in {supervision.seconds:g} s: {last_line}",
        )
    return (
        Outcome.FAILED,
        f"the launcher ended with status {supervision.status} before any rank began: {last_line}",
    )


def supervision_check(
    ranks: tuple[RankResult, ...], supervision: Supervision, signs: tuple[Diagnosis, ...] = ()
) -> Check:
    """Check that every rank ended by itself (W1), or else say which did not, and where it was."""
    outcome, message = _supervision_verdict(ranks, supervision)
    if not outcome.good and signs:
        message += f"; a sign that {signs[0].meaning}: {signs[0].action}"
    details: dict[str, object] = {
        "ending": supervision.ending.value,
        "status": supervision.status,
        "unfinished": [
            {"rank": one.rank, "host": one.host, "pid": one.pid, "phase": one.phase, "seconds": one.seconds}
            for one in supervision.unfinished
        ],
        "stacks": dict(supervision.stacks),
        "signatures": [sign.document() for sign in signs],
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
    if supervision.ending is Ending.NOT_STARTED or not supervision.reported:
        return Outcome.NOT_APPLICABLE, "nothing to supervise: no rank began, see the launch"
    if supervision.unfinished:
        return Outcome.CRASHED, f"the launcher ended with status {supervision.status}: {_who(supervision)}"
    clean = all(end.good for rank in ranks for end in rank.back_ends.values())
    if supervision.status and clean:
        return Outcome.CRASHED, f"every rank finished and the launcher ended with status {supervision.status}"
    ended = f"{number_of(len(ranks), 'rank')} ended by themselves"
    if (silent := supervision.expected - supervision.reported) > 0:
        return Outcome.FAILED, f"{silent} of {supervision.expected} ranks never appeared; {ended}"
    return Outcome.PASSED, ended


def _who(supervision: Supervision) -> str:
    """Name the ranks that are not in a communication library as others are, else those behind, else all.

    An allreduce ends for some ranks before it ends for all, so a stopped rank need not be alone in its phase:
    ranks whose stacks show that they wait in the call are not named. Where those behind wait in it, a message
    from one of those ahead may not have reached them, such as over a link that is down: these are named, too.
    """
    left = supervision.unfinished
    elsewhere = absent(left, supervision.stacks)
    behind = [one for one in left if one.step < max(other.step for other in left)]
    named = [*elsewhere] or behind or list(left)
    parts = [
        f"{one.label} was last in {one.phase!r}" + (f", where {elsewhere[one]}" if one in elsewhere else "")
        for one in named[:_MOST_TOLD]
    ]
    parts += [f"and {len(named) - _MOST_TOLD} more"] if len(named) > _MOST_TOLD else []
    others = [one for one in left if one not in named]
    if others and elsewhere:
        phases = {other.phase for other in others}
        where = "there" if phases == {named[0].phase} else "in " + " and ".join(map(repr, sorted(phases)))
        parts.append(f"{len(others)} of its peers {'waits' if len(others) == 1 else 'wait'} for it {where}")
    elif others:
        stuck = set(named) <= set(waiting(left, supervision.stacks))
        who = (
            first_of([other.label for other in others], _MOST_TOLD)
            if stuck
            else f"{len(others)} of its peers"
        )
        parts.append(f"{who} had come to {left[-1].phase!r}")
        waits = "it waits" if len(named) == 1 else "they wait"
        parts += [f"{waits} for a message from one of these"] if stuck else []
    silent = supervision.expected - supervision.reported
    if silent > 0:
        parts.insert(0, f"{silent} of {supervision.expected} ranks never appeared")
    return "; ".join(parts) or "every rank had finished and the launcher did not end"


def why_not(output: str, signs: tuple[Diagnosis, ...] = ()) -> str:
    """Say why a launcher started nothing, from its output; empty if there is none.

    What is a sign of something tells more than the last line, which may end general advice.
    """
    sign = next((sign.line for sign in signs if sign.line), "")
    return _unseen(output) or sign or (_last_line(output) if output.strip() else "")


def _unseen(output: str) -> str:
    """Say which nodes reported that they do not see the environment; empty for none."""
    unseen = dict(_UNSEEN.findall(output))
    where = folded(unseen)
    return f"the environment is not there on {where}: no {next(iter(unseen.values()))}" if unseen else ""


def _last_line(output: str) -> str:
    """Return the last line with a word in it: Open MPI puts frames around its messages."""
    return next((line for line in reversed(output.splitlines()) if _WORD.search(line)), "no output")
