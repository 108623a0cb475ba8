"""Turn what ranks sent each other into checks: exact values, thread levels (C)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from envlock.model.counting import first_of
from envlock.model.proving.measurement import message_size
from envlock.model.proving.probing import Plan, Supervision
from envlock.model.proving.rank_result import Part, RankResult
from envlock.model.proving.report import Check, Outcome

_KINDS = {"mpi4py": "C2", "torch-gloo": "C5", "torch-nccl": "C6", "torch-mpi": "C10"}
_HOROVOD = "C11"
_TRAINING = "C12"
_MOST_TOLD = 3


def communication_checks(
    ranks: tuple[RankResult, ...], supervision: Supervision, plan: Plan
) -> Iterator[Check]:
    """Yield every check of communication, in the order of the plan; one rank alone passes none of them.

    Args:
        ranks: the last heartbeats.
        supervision: what was observed of the ranks from outside.
        plan: what the probe was asked.
    """
    yield from _thread_check(ranks, plan)
    for name in plan.back_ends:
        found = [*_replica_checks(name, ranks, plan)]
        if plan.correctness:
            back_end = _back_end_check(name, ranks, supervision, plan)
            found = [back_end, *_part_checks(name, ranks, plan), *found]
        yield from (_among_several(check, plan) for check in found)
    yield from _interface_check(ranks)


def _among_several(check: Check, plan: Plan) -> Check:
    """Pass nothing where nobody communicated with anybody."""
    if plan.ranks > 1 or check.outcome is not Outcome.PASSED:
        return check
    message = f"one rank alone has nobody to communicate with; {check.message}"
    return replace(check, outcome=Outcome.NOT_APPLICABLE, message=message)


def _thread_check(ranks: tuple[RankResult, ...], plan: Plan) -> Iterator[Check]:
    """Check for MPI_THREAD_MULTIPLE: Horovod calls MPI from a thread of its own, too (C3, horovod#1260)."""
    levels = {rank.label: rank.mpi["thread_multiple"] for rank in ranks if "thread_multiple" in rank.mpi}
    if not levels or not any(name.startswith("horovod") for name in plan.back_ends):
        return
    lacking = [label for label, multiple in levels.items() if not multiple]
    outcome, message = Outcome.PASSED, "MPI runs with MPI_THREAD_MULTIPLE"
    if lacking:
        outcome = Outcome.FAILED
        message = (
            f"MPI runs without MPI_THREAD_MULTIPLE, which Horovod's thread needs, on {first_of(lacking)}"
        )
    yield Check(id="C3", name="MPI threads", outcome=outcome, message=message)


def _back_end_check(name: str, ranks: tuple[RankResult, ...], supervision: Supervision, plan: Plan) -> Check:
    results = {rank.label: rank.back_ends[name] for rank in ranks if name in rank.back_ends}
    details: dict[str, object] = {
        "max_bytes": min((result.max_bytes for result in results.values()), default=0),
        "facts": dict(next((result.facts for result in results.values() if result.facts), {})),
    }
    seconds = max((result.seconds for result in results.values()), default=0.0)
    outcome, message = _back_end_verdict(name, ranks, supervision, plan)
    if not outcome.good:
        details["tracebacks"] = {label: one.traceback for label, one in results.items() if one.traceback}
    return Check(
        id=_KINDS.get(name, _HOROVOD),
        name=f"{name} allreduce",
        outcome=outcome,
        message=message,
        details=details,
        seconds=seconds,
    )


def _back_end_verdict(
    name: str, ranks: tuple[RankResult, ...], supervision: Supervision, plan: Plan
) -> tuple[Outcome, str]:
    """Report wrong sums before errors, which are less bad, and errors before absence, which they explain."""
    results = [(rank, rank.back_ends[name]) for rank in ranks if name in rank.back_ends]
    wrong = [(rank, one) for rank, one in results if one.wrong]
    if wrong:
        rank, one = wrong[0]
        where = f"wrong sums on {len(wrong)} of {plan.ranks} ranks; {rank.label} of {one.size}"
        return Outcome.FAILED, f"{where}: {one.wrong[0].text}"
    elsewhere = [one for _, one in results if one.outcome == Outcome.NOT_APPLICABLE.value]
    if elsewhere and len(elsewhere) == len(results):
        return Outcome.NOT_APPLICABLE, elsewhere[0].error
    raised = [(rank, one) for rank, one in results if one.error]
    if raised:
        rank, one = raised[0]
        return Outcome.FAILED, f"{len(raised)} of {plan.ranks} ranks raised; {rank.label}: {one.error}"
    if len(results) < plan.ranks:
        return _absent(name, len(results), ranks, supervision, plan)
    sizes = sorted({one.size for _, one in results if one.size is not None})
    if sizes != [plan.ranks]:
        shown = ", ".join(map(str, sizes))
        return Outcome.FAILED, f"summed over worlds of size {shown}, not over all {plan.ranks} ranks"
    reached = message_size(min(one.max_bytes for _, one in results))
    compared = min(one.reductions for _, one in results)
    outcome = Outcome.PASSED if compared else Outcome.FAILED
    return outcome, f"{compared} sums of up to {reached} exact on each of {plan.ranks} ranks"


def _absent(
    name: str, finished: int, ranks: tuple[RankResult, ...], supervision: Supervision, plan: Plan
) -> tuple[Outcome, str]:
    inside = [rank for rank in ranks if rank.phase.startswith(f"{name}:") and not rank.done]
    if inside:
        outcome = Outcome.TIMED_OUT if supervision.timed_out else Outcome.CRASHED
        waiting = first_of([f"{rank.label} in {rank.phase!r}" for rank in inside])
        return outcome, f"{finished} of {plan.ranks} ranks came through; {waiting}"
    if finished:
        return Outcome.CRASHED, f"only {finished} of {plan.ranks} ranks came through"
    return Outcome.NOT_APPLICABLE, "not reached, see the launch and supervision"


def _part_checks(name: str, ranks: tuple[RankResult, ...], plan: Plan) -> Iterator[Check]:
    """Yield the checks of everything but sums: parts of the sums' kind as one check, the rest one by one."""
    kind = _KINDS.get(name, _HOROVOD)
    found: dict[tuple[str, str], list[tuple[RankResult, Part]]] = {}
    for rank in ranks:
        for part in rank.back_ends[name].parts if name in rank.back_ends else ():
            if part.id != _TRAINING:
                key = (part.id, "other collectives" if part.id == kind else part.name)
                found.setdefault(key, []).append((rank, part))
    for (identifier, what), of_ranks in found.items():
        outcome, message = _part_verdict(of_ranks, plan)
        yield Check(
            id=identifier,
            name=f"{name} {what}",
            outcome=outcome,
            message=message,
            details={
                "parts": [
                    {"rank": rank.number, "name": part.name, "outcome": part.outcome, "message": part.message}
                    for rank, part in of_ranks
                ]
            },
            seconds=max(part.seconds for _, part in of_ranks),
        )


def _part_verdict(of_ranks: list[tuple[RankResult, Part]], plan: Plan) -> tuple[Outcome, str]:
    """Judge what ranks report of one or several parts; it passes only if all ranks report each."""
    failed: dict[str, list[str]] = {}
    for rank, part in of_ranks:
        if part.outcome == Outcome.FAILED.value:
            failed.setdefault(f"{part.name}: {part.message}", []).append(rank.label)
    if failed:
        told = [f"{first_of(labels, _MOST_TOLD)}: {text}" for text, labels in failed.items()]
        more = len(told) - _MOST_TOLD
        return Outcome.FAILED, "; ".join(told[:_MOST_TOLD]) + (f"; and {more} more" if more > 0 else "")
    names = list(dict.fromkeys(part.name for _, part in of_ranks))
    passed = [part for _, part in of_ranks if part.outcome == Outcome.PASSED.value]
    first = {part.name: part.message for part in reversed([*(part for _, part in of_ranks), *passed])}
    lines = [f"{name}: {first[name]}" if len(names) > 1 else first[name] for name in names]
    fewest = min(sum(part.name == name for _, part in of_ranks) for name in names)
    if passed and fewest < plan.ranks:
        lines.insert(0, f"only {fewest} of {plan.ranks} ranks came through")
        return Outcome.NOT_APPLICABLE, "; ".join(lines)
    return (Outcome.PASSED if passed else Outcome.NOT_APPLICABLE), "; ".join(lines)


def _replica_checks(name: str, ranks: tuple[RankResult, ...], plan: Plan) -> Iterator[Check]:
    """Check that after training every rank holds the same model, to the last bit (C12, horovod#260)."""
    results = [(rank, rank.back_ends[name]) for rank in ranks if name in rank.back_ends]
    kinds = (
        ("training", "replicas", [one.training for _, one in results]),
        ("mixed precision", "replicas in mixed precision", [one.mixed for _, one in results]),
    )
    for part_name, told_as, trained in kinds:
        parts = [
            (rank, part)
            for rank, one in results
            for part in one.parts
            if (part.id, part.name) == (_TRAINING, part_name)
        ]
        if parts:
            digests: dict[str, list[RankResult]] = {}
            for (rank, _), one in zip(results, trained, strict=True):
                if one:
                    digests.setdefault(one.digest, []).append(rank)
            yield _replica_check(f"{name} {told_as}", parts, digests, plan)


def _replica_check(
    name: str, parts: list[tuple[RankResult, Part]], digests: Mapping[str, list[RankResult]], plan: Plan
) -> Check:
    """Check that all ranks' models have the same digest."""
    outcome, message = _part_verdict(parts, plan)
    trained = sum(map(len, digests.values()))
    if outcome is Outcome.PASSED and trained < plan.ranks:
        outcome = Outcome.NOT_APPLICABLE
        message = f"only {trained} of {plan.ranks} ranks trained a model; {message}"
    elif outcome is Outcome.PASSED and len(digests) > 1:
        odd = min(digests.values(), key=len)
        outcome = Outcome.FAILED
        message = (
            f"{len(digests)} different models after training; "
            f"{first_of([rank.label for rank in odd])} differs from the rest"
        )
    elif outcome is Outcome.PASSED:
        message = f"one model on all {len(parts)} ranks after {message}"
    return Check(
        id=_TRAINING,
        name=name,
        outcome=outcome,
        message=message,
        details={"digests": {key: [rank.number for rank in found] for key, found in digests.items()}},
    )


def _interface_check(ranks: tuple[RankResult, ...]) -> Iterator[Check]:
    """Fail if Gloo is set to use loopback, from which it reaches no other host (C5, sglang#3226)."""
    hosts = {rank.host for rank in ranks}
    for rank in ranks:
        gloo = rank.back_ends.get("torch-gloo")
        chosen = str(gloo.facts.get("interface", "")) if gloo else ""
        if len(hosts) > 1 and "lo" in chosen.split(","):
            message = f"{rank.label} has GLOO_SOCKET_IFNAME={chosen}, which reaches no other host"
            yield Check(id="C5", name="gloo interface", outcome=Outcome.FAILED, message=message)
            return
