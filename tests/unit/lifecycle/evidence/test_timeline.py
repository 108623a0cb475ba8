from __future__ import annotations

import json

import pytest

from envlock.lifecycle.evidence.timeline import read_timeline


def step(tensor: int, begin: int) -> list[dict[str, object]]:
    """One reduction as Horovod 0.19.0 over MPI records it, in microseconds."""

    def event(phase: str, after: int, name: str = "") -> dict[str, object]:
        return {"ph": phase, "ts": begin + after, "pid": tensor} | ({"name": name} if name else {})

    return [
        event("B", 0, "NEGOTIATE_ALLREDUCE"),
        event("X", 10, "1"),
        event("X", 110, "0"),
        event("E", 130),
        event("B", 130, "ALLREDUCE"),
        event("B", 140, "MEMCPY_IN_FUSION_BUFFER"),
        event("E", 150),
        event("B", 150, "MPI_ALLREDUCE"),
        event("E", 400),
        event("B", 400, "MEMCPY_OUT_FUSION_BUFFER"),
        event("E", 405),
        event("E", 410),
    ]


def text(*steps: list[dict[str, object]], cut: bool = False) -> str:
    names: list[dict[str, object]] = [{"name": "process_name", "ph": "M", "pid": 1, "args": {"name": "w"}}]
    lines = [json.dumps(event) for event in [*names, *(event for one in steps for event in one)]]
    whole = "[\n" + ",\n".join(lines)
    return whole[:-7] if cut else whole + "\n]\n"


def test_kinds_are_told_apart_and_overlaps_count_once() -> None:
    found = read_timeline(text(step(1, 0), step(2, 0), step(1, 1000), step(2, 1000)))
    assert found is not None
    assert (found.steps, found.tensors, found.recorded) == (2, 2, pytest.approx(1410e-6))
    assert found.seconds == {
        "negotiation": pytest.approx(2 * 30e-6),
        "waiting": pytest.approx(2 * 100e-6),
        "copying": pytest.approx(2 * 15e-6),
        "reduction": pytest.approx(2 * 250e-6),
        "idle": pytest.approx((1000 - 410) * 1e-6),  # between the first step's end and the second's begin
    }


def test_what_was_reduced_once_is_no_part_of_training() -> None:
    found = read_timeline(text(step(9, 0), *(step(1, 1000 * number) for number in range(1, 5))))
    assert found is not None
    assert (found.steps, found.tensors, found.recorded) == (4, 1, pytest.approx(3410e-6))


def test_a_timeline_that_was_cut_off_is_read_as_far_as_it_goes() -> None:
    found = read_timeline(text(step(1, 0), step(1, 1000), cut=True))
    assert found is not None
    assert found.seconds["reduction"] == pytest.approx(500e-6)
    assert read_timeline("[\n") is None
