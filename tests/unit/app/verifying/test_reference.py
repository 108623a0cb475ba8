"""Launches of a benchmark and the probe in turn, with programs that print what the real ones print."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from envlock.app.verifying.reference import _in_turn, _Turn, planned_calls
from envlock.lifecycle.evidence.references import read_osu, read_probe
from envlock.model.proving.measurement import Point, Reference

BEGUN = Reference(program="osu_allreduce", back_end="mpi4py", ours=(), theirs=(), budget_s=60.0)
OURS = '{"benchmark": "mpi4py", "ranks": 2, "sweeps": [{"0": 1e-07, "8": 1.1e-06}]}'
THEIRS = "8 1.00 1.00 1.00 200"


def points(*microseconds: float) -> list[Point]:
    sizes = (8, 65536, 1 << 20, 1 << 25)
    return [
        Point(bytes=size, iterations=1, samples=(one * 1e-6,))
        for size, one in zip(sizes, microseconds, strict=False)
    ]


def prints(text: str, log: Path, name: str) -> list[str]:
    """A program that notes that it ran."""
    return [sys.executable, "-c", f"print({text!r}); open({str(log)!r}, 'a').write({name!r})"]


def turn(ours: list[str], *theirs: list[str], seconds: float = 60.0) -> _Turn:
    return _Turn(ours=ours, theirs=theirs, read=read_osu, environment={}, until=time.monotonic() + seconds)


def test_both_are_launched_in_turn_and_each_begins_every_second_pair(tmp_path: Path) -> None:
    log = tmp_path / "log"
    pairs = _in_turn(turn(prints(OURS, log, "o"), prints(THEIRS, log, "t")), BEGUN)
    found = [next(pairs) for _ in range(3)][-1]
    assert log.read_text() == "t" + "ot" + "to" + "ot"
    assert (found.ours, len(found.theirs)) == ((read_probe(OURS),) * 3, 3)


def test_the_form_of_the_command_that_works_is_kept(tmp_path: Path) -> None:
    log = tmp_path / "log"
    unknown = [sys.executable, "-c", f"open({str(log)!r}, 'a').write('x'); raise SystemExit(1)"]
    pairs = _in_turn(turn(prints(OURS, log, "o"), unknown, prints(THEIRS, log, "t")), BEGUN)
    next(pairs)
    assert log.read_text() == "xt" + "ot"


def test_a_program_that_fails_ends_the_comparison_by_name(tmp_path: Path) -> None:
    broken = [sys.executable, "-c", "raise SystemExit(1)"]
    (found,) = _in_turn(turn(prints(OURS, tmp_path / "log", "o"), broken), BEGUN)
    assert (found.failed, found.ours) == ("osu_allreduce failed", ())
    (found,) = _in_turn(turn(broken, prints(THEIRS, tmp_path / "log", "t")), BEGUN)
    assert found.failed == "a launch of the probe failed"


def test_time_that_is_over_stops_what_runs() -> None:
    endless = [sys.executable, "-c", "import time; time.sleep(600)"]
    begin = time.monotonic()
    (found,) = _in_turn(turn(endless, endless, seconds=0.5), BEGUN)
    assert found.failed == "osu_allreduce failed to end within the 60 s"
    assert time.monotonic() - begin < 60


@pytest.mark.parametrize(
    ("name", "microseconds", "calls"),
    [
        ("IMB-MPI1", (1, 20, 200), {0: 200, 8: 200, 65536: 160, 1 << 20: 10}),
        ("IMB-MPI1", (20, 1000, 16000), {0: 200, 8: 200, 65536: 16, 1 << 20: 1}),
        ("IMB-MPI1", (1, 20, 200, 400), {0: 200, 8: 200, 65536: 160, 1 << 20: 10}),
        ("osu_allreduce", (1, 20, 200, 40000), {0: 40, 8: 40, 65536: 40, 1 << 20: 40}),  # 32 MiB takes long
        ("all_reduce_perf", (1, 20, 200, 4000), {8: 10, 65536: 10, 1 << 20: 10, 1 << 25: 10}),
        ("osu_allreduce", (1, 20, 200), {0: 40, 8: 40, 65536: 40, 1 << 20: 40}),
        ("all_reduce_perf", (1, 20, 16000), {8: 10, 65536: 10, 1 << 20: 10}),
    ],
)
def test_calls_are_those_that_the_program_makes(
    name: str, microseconds: tuple[float, ...], calls: dict[int, int]
) -> None:
    assert planned_calls(name, points(*microseconds)) == calls
