"""How far messages grow in the time that is given, and that all ranks stop at one size."""

from __future__ import annotations

from typing import Any

import pytest

from envlock.probe import patience
from envlock.probe.back_ends.base import World
from tests.unit.probe.test_exactness import Ideal

MIB = 1 << 20
SIZES = [8, 1024, MIB, 4 * MIB, 16 * MIB, 64 * MIB]


class Clock:
    """Tells the time that what is done takes, without taking it."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


class Slower(Ideal):
    """The other ranks expect to take so many times what this one does."""

    def __init__(self, factor: float) -> None:
        self.factor = factor

    def allreduce(self, tensors: list[Any], mode: str, label: str) -> list[Any]:
        (mine,) = tensors
        expected = mine[1]
        return [[int(expected * self.factor), expected, 0]]


def reached(
    monkeypatch: pytest.MonkeyPatch,
    patience_s: float,
    mib_per_s: float,
    *,
    others: float = 1.0,
    start_s: float = 0.0,
) -> int:
    """The largest size, where a message takes a start and then so many MiB in a second."""
    clock = Clock()
    monkeypatch.setattr(patience, "time", clock)
    largest = 0
    for size in patience.in_time(Slower(others), World(1, 3, None, {}), SIZES, patience_s, "sums"):  # type: ignore[arg-type]
        clock.now += start_s + size / MIB / mib_per_s
        largest = size
    return largest


def test_what_is_fast_comes_to_the_largest(monkeypatch: pytest.MonkeyPatch) -> None:
    assert reached(monkeypatch, 10, 10) == 64 * MIB


def test_it_stops_before_a_size_that_would_take_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    assert reached(monkeypatch, 10, 5) == 16 * MIB  # 4 + 16 + 64 MiB would take 17 s
    assert reached(monkeypatch, 10, 1) == 4 * MIB


def test_up_to_one_mib_everything_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    assert reached(monkeypatch, 10, 0.01) == MIB
    assert reached(monkeypatch, 10, 1000, start_s=3.0) == MIB  # and latency counts for what it is


def test_without_a_limit_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    assert reached(monkeypatch, 0, 0.01) == 64 * MIB


def test_the_slowest_rank_decides_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    assert reached(monkeypatch, 10, 10, others=1.7) == 16 * MIB
    assert reached(monkeypatch, 10, 10, others=0.1) == 64 * MIB
