"""Runs known benchmarks of allreduce on the ranks that the probe ran on, where the environment has them."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from envlock.app.launching import Start
from envlock.edges.files import write_text
from envlock.edges.subprocesses import run
from envlock.lifecycle.performance_evidence import merged_curves
from envlock.lifecycle.references import READERS
from envlock.model.errors import SurroundingsError
from envlock.model.measurement import Reference
from envlock.model.rank_result import RankResult

_REPETITIONS = 7
_TIMEOUT_S = 120.0
_PROGRAMS = {"mpi4py": ("IMB-MPI1", "osu_allreduce"), "torch-nccl": ("all_reduce_perf",)}


def references(start: Start, results: tuple[RankResult, ...], folder: Path) -> tuple[Reference, ...]:
    """What the first benchmark on PATH says for each back end that was timed.

    Args:
        start: how ranks are started.
        results: the ranks' own times; the sizes are theirs.
        folder: where files go; every rank sees it.
    """
    found = []
    for back_end, programs in _PROGRAMS.items():
        curves = merged_curves(back_end, results)
        paths = (shutil.which(name, path=start.environment["PATH"]) for name in programs)
        program = next((path for path in paths if path), None)
        if curves and program and start.job.mpi:
            sizes = [point.bytes for point in curves[0].points]
            found.append(_run(start, program, sizes, folder))
    return tuple(one for one in found if one)


def _run(start: Start, program: str, sizes: Sequence[int], folder: Path) -> Reference | None:
    """A benchmark that fails is no reference; what the probe itself finds is the verdict then."""
    name = Path(program).name
    command = start.command((program, *_arguments(name, start.job.ranks, sizes, folder)))
    command[0] = shutil.which(command[0], path=start.environment["PATH"]) or command[0]
    try:
        done = run(command, env=start.environment, timeout_s=_TIMEOUT_S)
    except SurroundingsError:
        return None
    return READERS[name](done.stdout) if done.status == 0 else None


def _arguments(name: str, ranks: int, sizes: Sequence[int], folder: Path) -> list[str]:
    """Calls back to back, several repetitions, the same sizes where the benchmark lets one choose them."""
    if name == "IMB-MPI1":
        lengths = folder / "lengths"
        write_text(lengths, "".join(f"{size}\n" for size in sizes))
        once = ["-npmin", str(ranks), "-sync", "0", "-iter", "200,40", "-msglen", str(lengths)]
        return [*["allreduce"] * _REPETITIONS, *once]
    if name == "osu_allreduce":
        return ["-m", f"{sizes[0]}:{sizes[-1]}", "-i", "200", "-x", "20", "-f"]
    return ["-b", str(sizes[0]), "-e", str(sizes[-1]), "-f", "4", "-g", "1", "-n", "20"]
