"""Reads what known benchmarks print: IMB-MPI1, OSU's osu_allreduce, nccl-tests' all_reduce_perf."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from envlock.model.measurement import Reference

_MICRO = 1e-6
_IMB_RANKS = re.compile(r"#processes = (\d+)")
_NCCL_RANK = re.compile(r"#\s+Rank\s+(\d+)")
_IMB_COLUMNS = 5
_OSU_COLUMNS = 5
_NCCL_COLUMNS = 8


def read_imb(text: str) -> Reference | None:
    """``bytes repetitions t_min t_max t_avg`` in microseconds; t_max is the slowest rank's mean."""
    counts = [int(count) for count in _IMB_RANKS.findall(text)]
    rows = ((row[0], row[3]) for row in _rows(text) if len(row) == _IMB_COLUMNS)
    return _reference("IMB-MPI1", "mpi4py", counts, rows)


def read_osu(text: str) -> Reference | None:
    """``size average least most iterations`` in microseconds, as ``-f`` has it."""
    rows = ((row[0], row[3]) for row in _rows(text) if len(row) >= _OSU_COLUMNS)
    return _reference("osu_allreduce", "mpi4py", [], rows)


def read_nccl_tests(text: str) -> Reference | None:
    """``size count type redop root time algbw busbw ...``, the first time being out of place."""
    counts = [int(rank) + 1 for rank in _NCCL_RANK.findall(text)]
    rows = ((row[0], row[5]) for row in _rows(text) if len(row) >= _NCCL_COLUMNS)
    return _reference("all_reduce_perf", "torch-nccl", [max(counts)] if counts else [], rows)


READERS: Mapping[str, Callable[[str], Reference | None]] = MappingProxyType(
    {"IMB-MPI1": read_imb, "osu_allreduce": read_osu, "all_reduce_perf": read_nccl_tests}
)
"""Program -> what reads its output."""


def _rows(text: str) -> Iterator[list[str]]:
    """Lines that begin with a whole number, in columns."""
    for line in text.splitlines():
        columns = line.split()
        if columns and columns[0].isdigit():
            yield columns


def _reference(
    program: str, back_end: str, counts: list[int], rows: Iterator[tuple[str, str]]
) -> Reference | None:
    seconds: dict[int, tuple[float, ...]] = {}
    for size, told in rows:
        try:
            seconds[int(size)] = (*seconds.get(int(size), ()), float(told) * _MICRO)
        except ValueError:
            continue
    if not seconds:
        return None
    return Reference(
        program=program, back_end=back_end, ranks=min(counts, default=0), seconds=MappingProxyType(seconds)
    )
