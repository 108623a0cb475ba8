from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Any

import pytest

from envlock.lifecycle.evidence.comparison import advise, compare
from envlock.model.proving.comparison import Way
from envlock.model.proving.measurement import Curve, Point, Training
from envlock.model.proving.rank_result import BackEndResult, Part, RankResult
from envlock.model.proving.wrong_sum import WrongSum

NOW = dt.datetime(2026, 1, 31, 12, tzinfo=dt.UTC)


def curve(mode: str, **microseconds: float) -> Curve:
    """Sizes as s8=..."""
    points = (
        Point(bytes=int(size[1:]), iterations=1, samples=(one * 1e-6,)) for size, one in microseconds.items()
    )
    return Curve(mode=mode, points=tuple(points))


def rank(number: int, **back_ends: BackEndResult) -> RankResult:
    return RankResult(
        host="n1",
        pid=number,
        phase="done",
        step=1,
        done=True,
        launcher={"rank": number},
        mpi={},
        facts={},
        libraries={},
        back_ends={name.replace("_", "-"): result for name, result in back_ends.items()},
    )


def trained(*seconds: float) -> BackEndResult:
    training = Training(steps=2, digest="", gradient_bytes=64, seconds=seconds, computing=())
    return BackEndResult(outcome="passed", training=training, curves=(curve("single", s8=1),))


def test_neighbouring_sizes_with_one_answer_are_one_range() -> None:
    fast_small = (curve("single", s8=1, s32=2, s128=90), curve("fused", s8=1))
    fast_large = (curve("single", s8=50, s32=2.1, s128=30), curve("unfused", s8=5))
    first, second = advise({"mpi4py": fast_small, "torch-gloo": fast_large}, ("single",))
    assert (first.least, first.most, first.best) == (8, 32, Way(back_end="mpi4py", mode="single"))
    assert (first.close, first.factor) == ((), pytest.approx(50))
    assert (second.least, second.most, second.best.back_end, second.factor) == (128, 128, "torch-gloo", 3)
    (several,) = advise({"mpi4py": fast_small, "torch-gloo": fast_large}, ("fused", "unfused"))
    assert several.best == Way(back_end="mpi4py", mode="fused")


def test_what_is_nearly_as_fast_is_told() -> None:
    (advice,) = advise({"a": (curve("single", s8=100),), "b": (curve("single", s8=109),)}, ("single",))
    assert advice.close == (Way(back_end="b", mode="single"),)


def test_the_slowest_rank_makes_a_step_and_efficiency_is_of_one_rank() -> None:
    runs = {
        1: (rank(0, mpi4py=trained(0.1, 0.1, 0.1)),),
        2: (rank(0, mpi4py=trained(0.1, 0.2, 0.1)), rank(1, mpi4py=trained(0.2, 0.1, 0.2))),
    }
    (scaling,) = compare(("mpi4py",), runs, {}, NOW).scaling
    assert (scaling.seconds, scaling.efficiency(2)) == ({1: 0.1, 2: 0.2}, 0.5)


def test_what_is_absent_by_nature_is_no_failure_and_what_failed_is_not_advised() -> None:
    away = BackEndResult(outcome="not-applicable", error="no GPU")
    bad = Part(id="C12", name="training", outcome="failed", message="RuntimeError: x", seconds=0)
    broken = BackEndResult(outcome="passed", parts=(bad,), curves=(curve("single", s8=0.1),))
    one = rank(0, mpi4py=trained(1), torch_nccl=away, torch_gloo=broken)
    found = compare(("mpi4py", "torch-nccl", "torch-gloo", "torch-mpi"), {1: (one,)}, {}, NOW)
    assert found.absent == {"torch-nccl": "no GPU"}
    assert found.failed == {"torch-gloo": "RuntimeError: x", "torch-mpi": "0 of 1 ranks came through"}
    assert [advice.best.back_end for advice in found.one] == ["mpi4py"]


@pytest.mark.parametrize(
    ("result", "why"),
    [
        (
            {"wrong": (WrongSum(case="float32, 8 bytes", index=1, expected=3, got=4, elements=1),)},
            "wrong sum: float32, 8 bytes, element 1: expected 3, got 4",
        ),
        ({"outcome": "raised"}, "it ended as 'raised'"),
    ],
)
def test_what_failed_without_an_error_of_its_own_is_not_advised(result: dict[str, Any], why: str) -> None:
    broken = replace(trained(1), **{"outcome": "failed", **result})
    found = compare(("mpi4py", "torch-gloo"), {1: (rank(0, mpi4py=trained(2), torch_gloo=broken),)}, {}, NOW)
    assert found.failed == {"torch-gloo": why}
    assert {advice.best.back_end for advice in found.one} == {"mpi4py"}
