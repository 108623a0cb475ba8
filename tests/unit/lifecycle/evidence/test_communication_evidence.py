from __future__ import annotations

from dataclasses import replace
from typing import Any

from envlock.lifecycle.evidence.communication import communication_checks
from envlock.model.proving.measurement import Training
from envlock.model.proving.probing import Ending, Plan, Supervision
from envlock.model.proving.rank_result import BackEndResult, Part, RankResult
from envlock.model.proving.report import Check, Outcome

PLAN = Plan(distributions=(), back_ends=("torch-gloo",), ranks=3)
SEEN = Supervision(
    command=("mpirun",),
    ending=Ending.EXITED,
    status=0,
    seconds=1,
    expected=3,
    reported=3,
    unfinished=(),
    stacks={},
    output="",
)


def part(name: str, outcome: str = "passed", message: str = "8 cases exact", kind: str = "C5") -> Part:
    return Part(id=kind, name=name, outcome=outcome, message=message, seconds=0.1)


def model(digest: str) -> Training:
    return Training(steps=3, digest=digest, gradient_bytes=8, seconds=(0.1,), computing=())


def rank(number: int, *parts: Part, digest: str = "a", **changes: Any) -> RankResult:
    trained = part("training", message="3 steps", kind="C12")
    told: dict[str, Any] = {
        "outcome": "passed",
        "size": 3,
        "reductions": 40,
        "parts": (*parts, trained),
        "training": model(digest),
    }
    return RankResult(
        host=f"n{number}",
        pid=number,
        phase="done",
        step=9,
        done=True,
        launcher={"rank": number, "size": 3},
        mpi={},
        facts={},
        libraries={},
        back_ends={"torch-gloo": BackEndResult(**{**told, **changes})},
    )


def checks(*ranks: RankResult) -> dict[str, Check]:
    return {check.name: check for check in communication_checks(ranks, SEEN, PLAN)}


def test_parts_of_one_kind_are_one_check_and_others_their_own() -> None:
    storm = part("barrier storm", message="1000 barriers", kind="C1")
    found = checks(*(rank(n, part("broadcast"), part("allgather"), storm) for n in range(3)))
    assert (
        found["torch-gloo other collectives"].message == "broadcast: 8 cases exact; allgather: 8 cases exact"
    )
    assert (found["torch-gloo barrier storm"].id, found["torch-gloo barrier storm"].message) == (
        "C1",
        "1000 barriers",
    )
    assert {check.outcome for check in found.values()} == {Outcome.PASSED}


def test_a_failed_part_names_its_rank() -> None:
    bad = part("broadcast", "failed", "WrongValueError: expected 3, got 4")
    found = checks(rank(0, part("broadcast")), rank(1, bad), rank(2, part("broadcast")))
    check = found["torch-gloo other collectives"]
    assert check.outcome is Outcome.FAILED
    assert check.message == "rank 1 on n1: broadcast: WrongValueError: expected 3, got 4"


def test_what_every_rank_says_alike_is_told_once() -> None:
    bad = part("broadcast", "failed", "RuntimeError: not allowed")
    found = checks(*(rank(n, bad) for n in range(5)))
    assert (
        found["torch-gloo other collectives"].message
        == "rank 0 on n0, rank 1 on n1, rank 2 on n2 and 2 more: broadcast: RuntimeError: not allowed"
    )


def test_what_only_some_ranks_told_passes_for_none() -> None:
    """One was killed before it came so far: what its peers saw is not known of it."""
    found = checks(rank(0, part("broadcast")), rank(1, part("broadcast")))
    check = found["torch-gloo other collectives"]
    assert (check.outcome, check.message) == (
        Outcome.NOT_APPLICABLE,
        "only 2 of 3 ranks came through; 8 cases exact",
    )
    assert found["torch-gloo replicas"].outcome is Outcome.NOT_APPLICABLE
    untrained = rank(2, part("broadcast"), training=None)
    check = checks(rank(0, part("broadcast")), rank(1, part("broadcast")), untrained)["torch-gloo replicas"]
    assert (check.outcome, check.message) == (
        Outcome.NOT_APPLICABLE,
        "only 2 of 3 ranks trained a model; 3 steps",
    )


def test_one_rank_alone_passes_nothing_of_communication() -> None:
    alone = replace(PLAN, ranks=1)
    ranks = (rank(0, part("broadcast"), size=1),)
    found = list(communication_checks(ranks, SEEN, alone))
    assert {check.outcome for check in found} == {Outcome.NOT_APPLICABLE}
    assert found[0].message.startswith("one rank alone has nobody to communicate with; 40 sums")


def test_who_compared_no_sum_has_not_passed() -> None:
    check = checks(rank(0), rank(1), rank(2, reductions=0))["torch-gloo allreduce"]
    assert check.outcome is Outcome.FAILED
    assert check.message.startswith("0 sums of up to ")


def test_what_no_rank_could_do_is_not_applicable() -> None:
    alone = part("one rank of each host", "not-applicable", "one host")
    check = checks(*(rank(n, alone) for n in range(3)))["torch-gloo other collectives"]
    assert (check.outcome, check.message) == (Outcome.NOT_APPLICABLE, "one host")


def test_a_replica_that_went_astray_is_named() -> None:
    found = checks(rank(0), rank(1), rank(2, digest="b"))["torch-gloo replicas"]
    assert found.outcome is Outcome.FAILED
    assert found.message == "2 different models after training; rank 2 on n2 differs from the rest"
    same = checks(rank(0), rank(1), rank(2))["torch-gloo replicas"]
    assert (same.outcome, same.message) == (Outcome.PASSED, "one model on all 3 ranks after 3 steps")


def test_replicas_in_mixed_precision_are_compared_by_themselves() -> None:
    half = part("mixed precision", message="3 steps", kind="C12")
    found = checks(*(rank(n, half, mixed=model("b" if n == 1 else "c")) for n in range(3)))
    assert found["torch-gloo replicas"].outcome is Outcome.PASSED
    mixed = found["torch-gloo replicas in mixed precision"]
    assert (mixed.id, mixed.outcome) == ("C12", Outcome.FAILED)
    assert mixed.message == "2 different models after training; rank 1 on n1 differs from the rest"
    assert mixed.details == {"digests": {"c": [0, 2], "b": [1]}}
    none = part("mixed precision", "not-applicable", "no framework", kind="C12")
    away = checks(*(rank(n, none) for n in range(3)))["torch-gloo replicas in mixed precision"]
    assert (away.outcome, away.message) == (Outcome.NOT_APPLICABLE, "no framework")


def test_a_back_end_that_cannot_be_here_is_not_applicable() -> None:
    away = {"outcome": "not-applicable", "error": "no GPU", "parts": (), "training": None, "size": None}
    found = checks(*(rank(n, **away) for n in range(3)))
    assert (found["torch-gloo allreduce"].outcome, found["torch-gloo allreduce"].message) == (
        Outcome.NOT_APPLICABLE,
        "no GPU",
    )
    assert list(found) == ["torch-gloo allreduce"]


def test_gloo_on_loopback_reaches_no_other_host() -> None:
    facts = {"facts": {"interface": "lo"}}
    found = checks(*(rank(n, **facts) for n in range(3)))["gloo interface"]
    assert (found.outcome, "GLOO_SOCKET_IFNAME=lo" in found.message) == (Outcome.FAILED, True)
