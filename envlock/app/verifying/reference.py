"""Runs known benchmarks of allreduce and the probe in turn, on the ranks that the probe ran on."""

from __future__ import annotations

import itertools
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from envlock.app.verifying.launching import Start
from envlock.app.verifying.probing import Probing
from envlock.edges.files import write_text
from envlock.edges.subprocesses import run
from envlock.lifecycle.evidence.against_reference import settled
from envlock.lifecycle.evidence.machines import crowded
from envlock.lifecycle.evidence.performance import merged_curves
from envlock.lifecycle.evidence.references import READERS, read_probe
from envlock.model.errors import SurroundingsError
from envlock.model.frozen import dataclass
from envlock.model.proving.measurement import Launch, Point, Reference
from envlock.model.proving.rank_result import RankResult

_PROGRAMS = {"mpi4py": ("IMB-MPI1", "osu_allreduce"), "torch-nccl": ("all_reduce_perf",)}
_SWEEPS = {"IMB-MPI1": 20}
"""How often a program goes through all sizes in one launch, where it can; else once.

Many short sweeps: where others use the processors too, some are undisturbed; a few long ones never are.
"""

_WITH_NOTHING = ("IMB-MPI1", "osu_allreduce")
"""Programs that wait for each call, as the probe does beside them: an empty call shows what that costs."""

_MOST_CALLS = 200
_LARGEST = {True: (10, 0.005), False: (40, 0.02)}
"""Calls of the largest size in one of many sweeps or in the only one: so many, or as these seconds allow."""

_MIB = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class _Turn:
    """What stays the same for all pairs of launches.

    Attributes:
        ours: the probe's command.
        theirs: the benchmark's, in the forms that its releases know.
        read: what reads the benchmark's output.
        environment: that of both.
        until: when the time for all launches ends, by the monotonic clock.
    """

    ours: Sequence[str]
    theirs: Sequence[Sequence[str]]
    read: Callable[[str], Launch | None]
    environment: Mapping[str, str]
    until: float


def references(
    probing: Probing, results: tuple[RankResult, ...], *, budget_s: float
) -> tuple[Reference, ...]:
    """Measure each timed back end with the first benchmark on PATH, and with the probe beside it.

    Launches of both alternate until every size is decided, or another pair would exceed the budget, at whose
    end a launch that still runs is stopped. A benchmark that fails is no reference. Where more ranks
    than processors share a machine nothing is launched, because times would not be judged.

    Args:
        probing: what runs the probe.
        results: the ranks' own times; the sizes are theirs.
        budget_s: seconds that each comparison may take; 0 for none.
    """
    if not budget_s:
        return ()
    found = (_reference(probing, name, results, budget_s) for name in _PROGRAMS)
    return tuple(reference for reference in found if reference)


def _reference(
    probing: Probing, back_end: str, results: tuple[RankResult, ...], budget_s: float
) -> Reference | None:
    start = probing.start
    curves = merged_curves(back_end, results)
    paths = (shutil.which(name, path=start.environment["PATH"]) for name in _PROGRAMS[back_end])
    program = next((path for path in paths if path), None)
    if not (curves and program and start.job.mpi):
        return None
    name = Path(program).name
    begun = Reference(program=name, back_end=back_end, ours=(), theirs=(), budget_s=budget_s)
    if crowd := crowded(results):
        return replace(begun, failed=f"{crowd}, so it is not compared with {name}")
    calls = planned_calls(name, curves[0].points)
    turn = _Turn(
        ours=_command(start, probing.benchmark(back_end, calls, _SWEEPS.get(name, 1))),
        theirs=[
            _command(start, (program, *arguments))
            for arguments in _arguments(name, start.job.ranks, calls, probing.folder)
        ],
        read=READERS[name],
        environment=start.environment,
        until=time.monotonic() + budget_s,
    )
    reference = None
    for reference in _in_turn(turn, begun):
        if settled(reference):
            break
    return reference


def _in_turn(turn: _Turn, reference: Reference) -> Iterator[Reference]:
    """Yield all that was measured so far after each pair, or once a failure.

    A first launch, which finds the form of the command that this release knows and brings the program
    into memory, does not count. The two programs take turns in beginning a pair.
    """
    theirs = next((form for form in turn.theirs if _launch(form, turn, turn.read)), None)
    if theirs is None:
        yield replace(reference, failed=f"{reference.program} failed{_late(turn, reference)}")
        return
    pair = [(theirs, turn.read), (turn.ours, read_probe)]
    for number in itertools.count():
        before = time.monotonic()
        order = (0, 1) if number % 2 else (1, 0)
        launches = {at: _launch(pair[at][0], turn, pair[at][1]) for at in order}
        if launches[0] is None or launches[1] is None:
            failed = reference.program if launches[0] is None else "the probe"
            yield replace(reference, failed=f"a launch of {failed} failed{_late(turn, reference)}")
            return
        reference = replace(
            reference, ours=(*reference.ours, launches[1]), theirs=(*reference.theirs, launches[0])
        )
        yield reference
        now = time.monotonic()
        if now + (now - before) > turn.until:
            return


def _late(turn: _Turn, reference: Reference) -> str:
    """Say that time is over, where it is."""
    return f" to end within the {reference.budget_s:g} s" if time.monotonic() >= turn.until else ""


def _launch(command: Sequence[str], turn: _Turn, read: Callable[[str], Launch | None]) -> Launch | None:
    left = turn.until - time.monotonic()
    if left <= 0:
        return None
    try:
        done = run(command, env=turn.environment, timeout_s=left)
    except SurroundingsError:
        return None
    return read(done.stdout) if done.status == 0 else None


def _command(start: Start, program: tuple[str, ...]) -> list[str]:
    command = start.command(program)
    command[0] = shutil.which(command[0], path=start.environment["PATH"]) or command[0]
    return command


def planned_calls(name: str, points: Sequence[Point]) -> dict[int, int]:
    """Return how many calls of each size the program makes, by its own rule; the probe makes as many.

    IMB calls a size as often as a volume in MiB allows, up to a limit; others call all sizes equally often.
    Sizes beyond 1 MiB are left to programs that go through them once, and to calls that do not take long: the
    time is for many launches.
    """
    most, seconds = _LARGEST[name in _SWEEPS]
    points = [
        point for point in points if point.bytes <= _MIB or (name not in _SWEEPS and point.least <= seconds)
    ]
    largest = points[-1]
    of_largest = max(1, min(most, int(seconds / largest.least)))
    sizes = [0, *(point.bytes for point in points)] if name in _WITH_NOTHING else [p.bytes for p in points]
    if name == "IMB-MPI1":
        volume = _volume_mib(of_largest, largest.bytes) * _MIB
        return {size: max(1, min(_MOST_CALLS, volume // max(size, 1))) for size in sizes}
    return dict.fromkeys(sizes, max(10, of_largest))


def _volume_mib(calls: int, size: int) -> int:
    return max(1, calls * size // _MIB)


def _arguments(name: str, ranks: int, calls: Mapping[int, int], folder: Path) -> list[list[str]]:
    """Return the program's arguments, in the forms that its releases know, newest first."""
    sizes = sorted(size for size in calls if size)
    if name == "IMB-MPI1":
        lengths = folder / "lengths"
        write_text(lengths, "".join(f"{size}\n" for size in sorted(calls)))
        volume = _volume_mib(calls[sizes[-1]], sizes[-1])
        how_often = ["-iter", f"{_MOST_CALLS},{volume}", "-msglen", str(lengths)]
        return [[*["allreduce"] * _SWEEPS[name], "-npmin", str(ranks), *how_often]]
    if name == "osu_allreduce":
        often = calls[sizes[0]]
        asked = ["-m", f"{sizes[0]}:{sizes[-1]}", "-i", str(often), "-x", str(max(10, often // 10)), "-f"]
        return [[*asked, "-T", "mpi_float"], asked]  # since release 7 it sums bytes unless told otherwise
    return [["-b", str(sizes[0]), "-e", str(sizes[-1]), "-f", "2", "-g", "1", "-n", str(calls[sizes[0]])]]
