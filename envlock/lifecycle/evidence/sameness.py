"""Whether every rank runs what was verified: interpreter, environment, MPI, kernel, driver (L5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from envlock.model.counting import first_of
from envlock.model.proving.rank_result import RankResult
from envlock.model.proving.report import Check, Outcome

_EQUAL_FACTS = ("python", "prefix", "environment", "kernel", "driver")
_MAY_DIFFER = frozenset({"kernel"})
"""Facts that only matter for times and support: nodes of several generations have several kernels."""
_DIGEST = 64
_SHOWN = 12


def sameness_check(ranks: tuple[RankResult, ...], here: Mapping[str, object] | None) -> Check:
    """Compare ranks with each other, and their environment with the one that was checked against the lock.

    A rank that ended before it told which of its files differ from those installed has not passed.

    Args:
        ranks: what they found.
        here: the probe's result in one process on the verifying node; ``None`` if it left none.
    """
    values = _values(ranks)
    environment = str((here or {}).get("environment", ""))
    problems = [_one_name_for_several(ranks)]
    remarks: list[str] = []
    for name, found in values.items():
        expected = environment if name == "environment" and environment else ""
        if len(found) > 1 or (expected and set(found) != {expected}):
            (remarks if name in _MAY_DIFFER else problems).append(_odd_ones(name, found, expected))
    problems += _told_by_ranks(ranks, "changed_files", "loaded what is not as it was installed")
    problems += _told_by_ranks(ranks, "from_outside", "can import from outside of the environment")
    text = "; ".join(problem for problem in problems if problem)
    if not ranks:
        outcome, text = Outcome.NOT_APPLICABLE, "no rank reported"
    elif text:
        outcome, text = Outcome.FAILED, "; ".join([text, *remarks])
    elif silent := [rank.label for rank in ranks if "changed_files" not in rank.facts]:
        message = f"not reached: {first_of(silent)} ended before telling what was loaded there"
        outcome, text = Outcome.NOT_APPLICABLE, "; ".join([message, *remarks])
    elif remarks:
        outcome, text = Outcome.WARNED, "; ".join(remarks)
    else:
        outcome, text = Outcome.PASSED, "same interpreter, environment and MPI on every rank"
    differing = {name: found for name, found in values.items() if len(found) > 1}
    details: dict[str, object] = {"differing": differing} if differing else {}
    return Check(id="L5", name="sameness", outcome=outcome, message=text, details=details)


def _values(ranks: tuple[RankResult, ...]) -> dict[str, dict[str, list[str]]]:
    """Map fact -> value -> ranks."""
    values: dict[str, dict[str, list[str]]] = {}
    for rank in ranks:
        own = {name: rank.facts.get(name) for name in _EQUAL_FACTS} | {"MPI": rank.mpi.get("library")}
        makers = (rank.facts.get("gpus"), rank.facts.get("amd_gpus"))
        drivers = [maker.get("driver") for maker in makers if isinstance(maker, Mapping)]
        own["driver"] = next(filter(None, drivers), None)
        for name, value in own.items():
            if value is not None:
                values.setdefault(name, {}).setdefault(str(value), []).append(rank.label)
    return values


def _odd_ones(name: str, found: Mapping[str, list[str]], expected: str) -> str:
    """Name the ranks that differ from what is expected, or else from what most have."""
    usual = expected or max(found, key=lambda value: len(found[value]))
    shown = "; ".join(
        f"{name} of {first_of(labels)} is {_short(value)}"
        for value, labels in found.items()
        if value != usual
    )
    others = len(found.get(usual, ()))
    whose = f"{others} others have" if others else "the environment that was compared with the lock has"
    return f"{shown}, and {whose} {_short(usual)}"


def _told_by_ranks(ranks: tuple[RankResult, ...], fact: str, what: str) -> Iterator[str]:
    """Yield which ranks reported something that should not be, with the first instance."""
    telling = {
        rank.label: changed
        for rank in ranks
        if isinstance(changed := rank.facts.get(fact), (list, tuple)) and changed
    }
    if telling:
        changed = next(iter(telling.values()))
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        yield f"{first_of([*telling])} {what}: {changed[0]}{more}"


def _one_name_for_several(ranks: tuple[RankResult, ...]) -> str:
    """Name hosts that share a name: NCCL would take their GPUs for neighbours (nccl#286)."""
    boots: dict[str, set[str]] = {}
    for rank in ranks:
        if rank.facts.get("boot"):
            boots.setdefault(rank.host, set()).add(str(rank.facts["boot"]))
    return "; ".join(
        f"{len(found)} hosts are called {host}" for host, found in boots.items() if len(found) > 1
    )


def _short(value: str) -> str:
    return value[:_SHOWN] if len(value) == _DIGEST else value.partition("\n")[0]
