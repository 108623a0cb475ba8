"""How many calls are timed, on a clock that the calls themselves move."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from envlock.probe import timing
from envlock.probe.back_ends.base import BackEnd, Job, World

BUDGET_S = 0.1


class OneRank:
    """A library of one rank, each of whose calls takes the next of these times (seconds)."""

    modes = ("single",)

    def __init__(self, durations: Iterable[float]) -> None:
        self.now = 0.0
        self._durations = iter(durations)
        self._last = 0.0

    def barrier(self) -> None: ...

    def tensor(self, dtype: str, period: list[int], count: int) -> Any:
        return array("q", period)

    def allreduce(self, tensors: list[Any], mode: str, label: str) -> list[Any]:
        return tensors

    def reduction(self, size: int, mode: str) -> Callable[[], None]:
        def call() -> None:
            self._last = next(self._durations, self._last)
            self.now += self._last

        return call


def timed(library: OneRank, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The point of one size of message."""
    monkeypatch.setattr(timing.time, "perf_counter", lambda: library.now)
    world = World(rank=0, size=1, local_rank=0, facts={})
    job = cast("Job", SimpleNamespace(plan=SimpleNamespace(sabotage={})))
    curve = timing.curve(cast("BackEnd", library), world, job, "single", [8], BUDGET_S, lambda phase: None)
    (point,) = curve["points"]
    return cast("dict[str, Any]", point)


def test_quick_calls_are_timed_many_at_a_time_for_about_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    library = OneRank([1e-5])
    point = timed(library, monkeypatch)
    assert point["iterations"] == 100
    assert len(point["samples"]) == 60
    assert library.now == pytest.approx(0.06, rel=0.1)
    assert point["samples"] == pytest.approx([1e-5] * 60)


def test_a_slow_first_call_does_not_shorten_the_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    assert timed(OneRank([3.0, 1e-5]), monkeypatch)["iterations"] == 100


@pytest.mark.parametrize(
    "durations",
    [
        pytest.param([1e-6, 0.02], id="one-trial-is-quick"),
        pytest.param([*[1e-6] * 8, 0.02], id="all-trials-are"),
    ],
)
def test_shared_processors_do_not_hold_a_size_up(
    durations: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    library = OneRank(durations)
    point = timed(library, monkeypatch)
    assert 1 <= len(point["samples"]) <= 3
    assert library.now <= 4.5
