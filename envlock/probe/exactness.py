"""Reductions and other collectives with exact values: every type, several sizes, every way of calling."""

from typing import Any, Callable, Dict, Iterable, List

from . import payload, sabotage
from .back_ends.base import BackEnd, Job, World
from .errors import WrongValueError

_MOST_WRONG_TOLD = 10
_PART_SIZES = (8, 16408)
_MOST_GATHERED = 4 << 20
"""Bytes that a rank receives in one allgather, as far as ranks send more than one period each: a thousand
ranks that send 256 KiB each would fill a node's memory with what its ranks receive."""


class Tally:
    """The number of sums compared, and the first few wrong ones as results show them."""

    def __init__(self) -> None:
        self.reductions = 0
        self.wrong: List[Dict[str, Any]] = []

    def compare(self, back_end: BackEnd, got: Any, wanted: Any, case: str) -> None:
        """Compare one sum and count it."""
        self.reductions += 1
        difference = back_end.difference(got, wanted)
        if difference and len(self.wrong) < _MOST_WRONG_TOLD:
            index, elements = difference
            told = {"case": case, "index": index, "elements": elements}
            self.wrong.append(dict(told, expected=float(wanted[index]), got=float(got[index])))

    def told(self) -> str:
        """Return how many sums were right.

        Raises:
            WrongValueError: one of them was wrong.
        """
        if self.wrong:
            raise WrongValueError(
                "%(case)s, element %(index)d: expected %(expected)g, got %(got)g" % self.wrong[0]
            )
        return "%d sums exact" % self.reductions


def reduce_exactly(
    back_end: BackEnd, world: World, job: Job, sizes: Iterable[int], tally: Tally, beat: Callable[[str], None]
) -> int:
    """Sum over all ranks in every size, type and mode, and from unaligned memory.

    Returns:
        The largest size.
    """
    size = 0
    for size in sizes:
        beat("allreduce of %d bytes" % size)
        for dtype in _types(back_end, world):
            for mode in back_end.modes:
                _sum(back_end, world, job, dtype, size, mode, tally)
            if size == payload.UNALIGNED:
                _sum(back_end, world, job, dtype, size, back_end.modes[0], tally, shift=1)
    return size


def reduce_among(back_end: BackEnd, world: World, job: Job) -> str:
    """Do the same among some of the ranks, in brief.

    Raises:
        WrongValueError: a sum is not that of these ranks alone.
    """
    tally = Tally()
    for size in _PART_SIZES:
        for dtype in _types(back_end, world):
            _sum(back_end, world, job, dtype, size, back_end.modes[0], tally)
    return tally.told()


def _sum(
    back_end: BackEnd, world: World, job: Job, dtype: str, size: int, mode: str, tally: Tally, shift: int = 0
) -> None:
    """Make one call, for several tensors if the mode is fused, and compare each sum element by element."""
    count = max(1, size // payload.WIDTH[dtype])
    counts = [count, 1, max(1, count // 3)] if mode == "fused" else [count]
    mine = payload.contribution(world.rank, dtype)
    wanted = payload.expected(world.members, dtype)
    tensors = [back_end.tensor(dtype, mine, n + shift) for n in counts]
    if shift:
        tensors = [back_end.shifted(tensor) for tensor in tensors]
        wanted = wanted[1:] + wanted[:1]
    error = sabotage.added_error(job.plan.sabotage, world.rank)
    if error:
        tensors[0][counts[0] - 1] += error
    where = ", unaligned" if shift else ""
    sums = back_end.allreduce(tensors, mode, ("%s %d %s%s" % (dtype, size, mode, where)).replace(" ", "."))
    for got, n in zip(sums, counts):
        case = "%s, %d bytes, %s%s" % (dtype, n * payload.WIDTH[dtype], mode, where)
        tally.compare(back_end, got, back_end.tensor(dtype, wanted, n), case)


def collective(back_end: BackEnd, world: World, name: str, sizes: List[int]) -> str:
    """Call one other collective in every type and size.

    Raises:
        WrongValueError: a value is not what was sent.
    """
    cases = 0
    for size in sizes:
        for dtype in _types(back_end, world):
            count = max(1, size // payload.WIDTH[dtype])
            mine, wanted = _exchange(back_end, world, name, dtype, count)
            label = "%s.%s.%d" % (name, dtype, size)
            got = back_end.call(name, mine, label)
            difference = back_end.difference(got, wanted)
            cases += 1
            if difference:
                index, _ = difference
                raise WrongValueError(
                    "%s, %s, %d bytes, element %d: expected %g, got %g"
                    % (name, dtype, size, index, float(wanted[index]), float(got[index]))
                )
    return "%d cases exact" % cases


def _exchange(back_end: BackEnd, world: World, name: str, dtype: str, count: int) -> Any:
    """Return what to send and what must come back."""
    if name == "broadcast":
        mine = payload.block(world.rank, 0)
        return back_end.tensor(dtype, mine, count), back_end.tensor(dtype, payload.block(0, 0), count)
    if name == "iallreduce":
        mine, total = payload.contribution(world.rank, dtype), payload.expected(world.members, dtype)
        return back_end.tensor(dtype, mine, count), back_end.tensor(dtype, total, count)
    # Blocks are whole periods, so that one period per rank describes the whole tensor.
    most = count if name == "alltoall" else _MOST_GATHERED // payload.WIDTH[dtype]
    periods = max(1, min(count, most // world.size) // payload.PERIOD)
    received = [payload.block(sender, world.rank if name == "alltoall" else 0) for sender in world.members]
    sent = (
        [payload.block(world.rank, receiver) for receiver in world.members]
        if name == "alltoall"
        else [payload.block(world.rank, 0)]
    )
    return _blocks(back_end, dtype, sent, periods), _blocks(back_end, dtype, received, periods)


def _blocks(back_end: BackEnd, dtype: str, blocks: List[List[int]], periods: int) -> Any:
    values = [value for block in blocks for value in block * periods]
    return back_end.tensor(dtype, values, len(values))


def _types(back_end: BackEnd, world: World) -> List[str]:
    return [dtype for dtype in back_end.dtypes if world.size <= payload.MOST_RANKS.get(dtype, world.size)]
