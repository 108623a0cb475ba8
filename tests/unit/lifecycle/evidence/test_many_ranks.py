"""What is wrong with a thousand ranks is told in as many words as what is wrong with a few."""

from __future__ import annotations

from typing import Any

import pytest

from envlock.lifecycle.evidence.checks import assemble
from envlock.model.proving.measurement import Training
from envlock.model.proving.probing import Ending, OneProcess, Plan, Unfinished
from envlock.model.proving.rank_result import BackEndResult, Part, RankResult
from tests.shipped import KNOWLEDGE
from tests.unit.lifecycle.evidence.test_evidence import supervision
from tests.unit.lifecycle.evidence.test_rank_evidence import rank

MANY = 1000
LONGEST = 1500
PLAN = Plan(distributions=(), back_ends=("horovod-torch",), ranks=MANY, nodes=2)


def messages(ranks: list[RankResult], **seen: Any) -> dict[str, str]:
    found = assemble(
        OneProcess(document={"checks": []}),
        tuple(ranks),
        supervision(expected=MANY, **{"reported": len(ranks), **seen}),
        PLAN,
        signatures=KNOWLEDGE.running.signatures,
    )
    return {f"{check.id} {check.name}": check.message for check in found}


def trained(number: int) -> BackEndResult:
    own = 0.1 if number % 2 else 0.001
    model = Training(steps=2, digest=str(number), gradient_bytes=8, seconds=(0.2,), computing=(own,))
    part = Part(id="C12", name="training", outcome="passed", message="2 steps", seconds=0.1)
    return BackEndResult(outcome="passed", rank=number, size=MANY, training=model, parts=(part,))


@pytest.mark.parametrize(
    "facts",
    [
        {},
        {"nofile": 256, "fabric": ["mlx5_0"], "addresses": 1 << 30, "threads": {"OMP_NUM_THREADS": "many"}},
        {"affinity": [0], "cpus": 1, "host_cpus": 8},
        {"cpu_time": 1.0, "changed_files": ["a.py has 3 bytes"], "from_outside": ["/opt/hooks"]},
    ],
)
def test_no_message_grows_with_the_ranks(facts: dict[str, Any]) -> None:
    ranks = [
        rank(
            number,
            f"n{number}",
            **{"gpus": {"reachable": number % 2, "visible": None, "uuids": [], "driver": ""}, **facts},
        )
        for number in range(MANY)
    ]
    told = messages(ranks)
    told |= messages(ranks[1:], ending=Ending.PHASE_DEADLINE, status=None)
    told |= messages(ranks[:1], ending=Ending.PHASE_DEADLINE, status=None)
    assert {name: text[:300] for name, text in told.items() if len(text) > LONGEST} == {}


def test_no_message_grows_with_what_hangs_differs_or_is_late() -> None:
    ranks = [
        RankResult(
            host=f"n{number}",
            pid=number,
            phase="horovod-torch: hosts" if number % 2 else "done",
            step=3,
            done=not number % 2,
            launcher={"rank": number, "size": MANY},
            mpi={"rank": number, "size": MANY, "thread_multiple": False},
            facts={"affinity": [0], "cpus": 1},
            libraries={},
            back_ends={} if number % 2 else {"horovod-torch": trained(number // 2)},
        )
        for number in range(MANY)
    ]
    left = tuple(
        Unfinished(rank=number, host=f"n{number}", pid=number, phase="hosts", step=3, seconds=99.0)
        for number in range(MANY)
    )
    told = messages(ranks, ending=Ending.PHASE_DEADLINE, status=None, unfinished=left)
    assert {name: text[:300] for name, text in told.items() if len(text) > LONGEST} == {}
    assert "C16 stragglers" in told
    assert "and 992 more" in told["W1 supervision"]


def test_what_all_ranks_have_in_common_is_told_once() -> None:
    found = messages([rank(number, "n1", nofile=256) for number in range(MANY)])
    assert found["L6 limits"] == f"rank 0 on n1 has nofile 256, below 1024 ({MANY} ranks in all)"
