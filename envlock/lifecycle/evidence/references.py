"""Read the output of allreduce benchmarks: IMB-MPI1, osu_allreduce, all_reduce_perf, and the probe."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType

from envlock.model.proving.measurement import Launch

_MICRO = 1e-6
_IMB_RANKS = re.compile(r"#processes = (\d+)")
_NCCL_RANK = re.compile(r"#\s+Rank\s+(\d+)")
_IMB_COLUMNS = 5
_OSU_COLUMNS = 5
_NCCL_COLUMNS, _NCCL_IN_PLACE = 12, -4
_OURS = '{"benchmark"'


def read_imb(text: str) -> Launch | None:
    """Read ``bytes repetitions t_min t_max t_avg`` in microseconds; t_max is the slowest rank's mean."""
    counts = [int(count) for count in _IMB_RANKS.findall(text)]
    return _launch(counts, ((row[0], row[3]) for row in _rows(text) if len(row) == _IMB_COLUMNS))


def read_osu(text: str) -> Launch | None:
    """Read ``size average least most iterations`` in microseconds, as ``-f`` prints it."""
    return _launch([], ((row[0], row[3]) for row in _rows(text) if len(row) >= _OSU_COLUMNS))


def read_nccl_tests(text: str) -> Launch | None:
    """Read ``size count type redop root`` and twice ``time algbw busbw #wrong``, the second one in place.

    Older releases print no ``root``.
    """
    counts = [int(rank) + 1 for rank in _NCCL_RANK.findall(text)]
    rows = ((row[0], row[_NCCL_IN_PLACE]) for row in _rows(text) if len(row) >= _NCCL_COLUMNS)
    return _launch([max(counts)] if counts else [], rows)


def read_probe(text: str) -> Launch | None:
    """Read the line that the probe's rank 0 prints; see its ``benchmark.py``."""
    for line in text.splitlines():
        if line.startswith(_OURS):
            try:
                document = json.loads(line)
            except ValueError:  # cut off, or mixed with another rank's output
                continue
            sweeps = ({int(size): float(one) for size, one in sweep.items()} for sweep in document["sweeps"])
            return Launch(
                ranks=int(document["ranks"]), sweeps=tuple(MappingProxyType(sweep) for sweep in sweeps)
            )
    return None


READERS: Mapping[str, Callable[[str], Launch | None]] = MappingProxyType(
    {"IMB-MPI1": read_imb, "osu_allreduce": read_osu, "all_reduce_perf": read_nccl_tests}
)
"""Program -> the function that reads its output."""


def _rows(text: str) -> Iterator[list[str]]:
    """Yield the columns of lines that begin with a whole number."""
    for line in text.splitlines():
        columns = line.split()
        if columns and columns[0].isdecimal():
            yield columns


def _launch(counts: list[int], rows: Iterable[tuple[str, str]]) -> Launch | None:
    """Collect sweeps from rows; a size that comes again begins another sweep."""
    sweeps: list[dict[int, float]] = [{}]
    for size, microseconds in rows:
        try:
            seconds = float(microseconds) * _MICRO
        except ValueError:
            continue
        if int(size) in sweeps[-1]:
            sweeps.append({})
        sweeps[-1][int(size)] = seconds
    if not sweeps[0]:
        return None
    return Launch(ranks=min(counts, default=0), sweeps=tuple(MappingProxyType(sweep) for sweep in sweeps))
