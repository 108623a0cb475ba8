"""What ranks show about one process under MPI: launcher and library (L2), MPI as built (P6), P11 to P13."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from envlock.model.proving.probing import Plan, Supervision
from envlock.model.proving.rank_result import RankResult
from envlock.model.proving.report import Check, Outcome

_REFUSED = re.compile(r"unable to open (mca_\w+):\s*([^\n]*(?:\n(?!\[|-|\s*$)[^\n]*)?)")
_TOLD = 4


def process_checks(ranks: tuple[RankResult, ...], supervision: Supervision, plan: Plan) -> Iterator[Check]:
    """Yield L2, and those of P that only ranks under their launcher can show."""
    for identifier, name, (outcome, message) in (
        ("L2", "launcher and library", _launcher(ranks, supervision, plan)),
        ("P6", "MPI as built", _library(ranks, plan)),
        ("P11", "both of Horovod", _both(ranks, plan)),
        ("P12", "forked workers", _workers(ranks)),
        ("P13", "MPI plug-ins", _plugins(ranks, supervision)),
    ):
        yield Check(id=identifier, name=name, outcome=outcome, message=message)


def _launcher(ranks: tuple[RankResult, ...], supervision: Supervision, plan: Plan) -> tuple[Outcome, str]:
    program = supervision.command[0].rsplit("/", 1)[-1] if supervision.command else "the launcher"
    under_mpi = [rank for rank in ranks if rank.mpi.get("size") is not None]
    if not under_mpi:
        return Outcome.NOT_APPLICABLE, "no rank came as far as starting MPI"
    if plan.ranks == 1:
        return Outcome.NOT_APPLICABLE, "one rank cannot show whether launcher and library work together"
    library = str(under_mpi[0].mpi.get("library", "the library")).split(",")[0]
    strangers = [rank for rank in under_mpi if rank.mpi.get("size") == 1]
    if strangers:
        return Outcome.FAILED, (
            f"{program} does not belong to {library}: {len(strangers)} of {plan.ranks} ranks are alone"
        )
    others = sorted({size for rank in under_mpi if isinstance(size := rank.mpi["size"], int)} - {plan.ranks})
    if others:
        return Outcome.FAILED, (
            f"{program} and {library} make worlds of {', '.join(map(str, others))} of {plan.ranks} ranks"
        )
    return Outcome.PASSED, f"{program} and {library} know each other"


def _library(ranks: tuple[RankResult, ...], plan: Plan) -> tuple[Outcome, str]:
    """Compare what the library says it is with the lock's MPI, which things were built against."""
    wanted = plan.expect.get("mpi")
    if not isinstance(wanted, Mapping) or not wanted:
        return Outcome.NOT_APPLICABLE, "not applicable: no MPI in the lock"
    component, version, told_by = (str(wanted[key]) for key in ("component", "version", "told-by"))
    said = {str(rank.mpi["library"]): rank.label for rank in ranks if rank.mpi.get("library")}
    if not said:
        return Outcome.NOT_APPLICABLE, "no rank came as far as starting MPI"
    if not told_by:
        return Outcome.NOT_APPLICABLE, f"how {component} reports its version is not known"
    for text, label in said.items():
        match = re.search(told_by, text)
        if match is None or not _same_release(match[1], version):
            loaded = " ".join(text.split(",")[0].split())
            return Outcome.FAILED, f"{label} runs with {loaded}; the lock built against {component} {version}"
    return Outcome.PASSED, f"ranks run with {component} {version}, as the lock says"


def _same_release(reported: str, locked: str) -> bool:
    """Whether versions agree as far as both go: a wheel of 5.0.8 may be numbered 5.0.8rc1 or .post1."""
    numbers = [re.findall(r"\d+", re.split(r"rc|a|b|\.post", text)[0]) for text in (reported, locked)]
    shared = min(map(len, numbers))
    return numbers[0][:shared] == numbers[1][:shared]


def _both(ranks: tuple[RankResult, ...], plan: Plan) -> tuple[Outcome, str]:
    faces = [name for name in plan.back_ends if name.startswith("horovod-")]
    if len(faces) <= 1:
        return Outcome.NOT_APPLICABLE, "not applicable: not both of Horovod's frameworks here"
    right = [
        rank
        for rank in ranks
        if all(name in rank.back_ends and rank.back_ends[name].outcome == "passed" for name in faces)
    ]
    if len(right) == plan.ranks:
        return Outcome.PASSED, f"{' and '.join(faces)} reduced in one process on each of {plan.ranks} ranks"
    shown = [
        f"{name} {rank.back_ends[name].outcome if name in rank.back_ends else 'not reached'}"
        for rank in ranks[:1]
        for name in faces
    ]
    return Outcome.FAILED, f"only {len(right)} of {plan.ranks} ranks had both right ({', '.join(shown)})"


def _workers(ranks: tuple[RankResult, ...]) -> tuple[Outcome, str]:
    reported = [(rank, one) for rank in ranks if isinstance(one := rank.facts.get("workers"), Mapping)]
    inside = [rank for rank in ranks if rank.phase == "workers" and not rank.done]
    if inside:
        return Outcome.CRASHED, f"{inside[0].label} did not come back from starting workers"
    if not reported:
        return Outcome.NOT_APPLICABLE, "not reached"
    failed = [(rank, one) for rank, one in reported if one.get("problem")]
    if failed:
        rank, one = failed[0]
        return Outcome.FAILED, f"{len(failed)} of {len(reported)} ranks; {rank.label}: {one['problem']}"
    return (
        Outcome.PASSED,
        f"{reported[0][1].get('what')} after communication had begun, on {len(reported)} ranks",
    )


def _plugins(ranks: tuple[RankResult, ...], supervision: Supervision) -> tuple[Outcome, str]:
    """Judge the components that MPI opened in ranks run by Python, and those that it could not open."""
    refused = sorted(
        {f"{name}: {' '.join(why.split())}" for name, why in _REFUSED.findall(supervision.output)}
    )
    undefined = [one for one in refused if "undefined symbol" in one]
    if undefined:
        return Outcome.FAILED, f"components do not find MPI's own symbols: {'; '.join(undefined[:_TOLD])}"
    if refused:
        return Outcome.WARNED, f"components need what is not here: {'; '.join(refused[:_TOLD])}"
    opened = [number for rank in ranks if isinstance(number := rank.facts.get("components"), int)]
    if not opened:
        return Outcome.NOT_APPLICABLE, "not reached"
    if not max(opened):
        return Outcome.NOT_APPLICABLE, "not applicable: no MPI here that has plug-ins in files of their own"
    return Outcome.PASSED, f"{min(opened)} components open under Python on each rank, none refused"
