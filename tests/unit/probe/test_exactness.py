"""Exact values over a back end that is all ranks at once, in one process."""

from __future__ import annotations

from array import array
from typing import Any

import pytest

from envlock.probe import payload
from envlock.probe.back_ends.arrays import CODES, difference
from envlock.probe.back_ends.base import World
from envlock.probe.back_ends.mpi4py import Mpi4py
from envlock.probe.exactness import WrongValueError, _exchange, collective, reduce_among
from envlock.probe.plan import Plan

SIZE = 3


class Ideal:
    """What a right library gives, and a way to make it wrong."""

    name = "ideal"
    modes = ("out of place",)
    dtypes = ("int32", "float64")
    spoilt = False

    def tensor(self, dtype: str, period: list[int], count: int) -> Any:
        return (array(CODES[dtype], period) * (count // len(period) + 1))[:count]

    def difference(self, got: Any, wanted: Any) -> tuple[int, int] | None:
        return difference(got, wanted)

    def allreduce(self, tensors: list[Any], mode: str, label: str) -> list[Any]:
        return [self.call("iallreduce", tensor, label) for tensor in tensors]

    def call(self, collective: str, tensor: Any, label: str) -> Any:
        sent = {rank: self.mine(collective, rank, tensor) for rank in range(SIZE)}
        if collective == "broadcast":
            got = sent[0]
        elif collective == "allgather":
            got = [value for rank in range(SIZE) for value in sent[rank]]
        elif collective == "alltoall":
            share = len(tensor) // SIZE
            got = [value for rank in range(SIZE) for value in sent[rank][share : 2 * share]]
        else:
            got = [sum(column) for column in zip(*sent.values(), strict=True)]
        return array(tensor.typecode, got[1:] + got[:1] if self.spoilt else got)

    def mine(self, collective: str, rank: int, like: Any) -> list[int]:
        """What a rank sends of the tensor that rank 1 sends."""
        if collective == "iallreduce":
            period = payload.contribution(rank, "int32")
        elif collective == "alltoall":
            share = len(like) // SIZE
            return [v for to in range(SIZE) for v in (payload.block(rank, to) * share)[:share]]
        else:
            period = payload.block(rank, 0)
        return (period * len(like))[: len(like)]


@pytest.mark.parametrize(
    ("got", "wanted", "found"),
    [([1, 2, 3], [1, 2, 3], None), ([1, 9, 3, 9], [1, 2, 3, 4], (1, 2)), ([-0.0, 1], [0.0, 1], None)],
)
def test_arrays_differ_from_the_first_wrong_element_on(
    got: list[float], wanted: list[float], found: tuple[int, int] | None
) -> None:
    assert difference(array("d", got), array("d", wanted)) == found


class Quiet:
    plan = Plan({})


@pytest.mark.parametrize("name", ["broadcast", "allgather", "alltoall", "iallreduce"])
def test_a_collective_is_compared_by_value(name: str) -> None:
    ideal, world = Ideal(), World(1, SIZE, None, {})
    assert collective(ideal, world, name, [1024, 4096]) == "4 cases exact"  # type: ignore[arg-type]
    ideal.spoilt = True
    with pytest.raises(WrongValueError, match=f"{name}, int32, 1024 bytes, element"):
        collective(ideal, world, name, [1024])  # type: ignore[arg-type]


def test_sums_among_some_ranks_are_of_these_alone() -> None:
    ideal, everyone = Ideal(), World(1, SIZE, None, {})
    assert reduce_among(ideal, everyone, Quiet()) == "4 sums exact"  # type: ignore[arg-type]
    two = World(1, 2, None, {}, [0, 1])
    with pytest.raises(WrongValueError, match="int32, 8 bytes"):
        reduce_among(ideal, two, Quiet())  # type: ignore[arg-type]


@pytest.mark.parametrize(("ranks", "received"), [(2, 2 << 18), (1000, 4 << 20)])
def test_what_a_thousand_ranks_gather_fits_into_memory(ranks: int, received: int) -> None:
    world = World(1, ranks, None, {})
    mine, wanted = _exchange(Mpi4py(), world, "allgather", "int32", (1 << 18) // 4)
    assert 0.95 * received < 4 * len(wanted) <= received
    assert len(mine) * ranks == len(wanted)
