"""Reports made by hand that look like those of real verifications."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

from envlock.model.proving.measurement import Curve, Meeting, Point
from envlock.model.proving.rank_result import BackEndResult, RankResult
from envlock.model.proving.report import Check, Outcome, Report
from envlock.model.proving.surroundings import Surroundings

_SIZES = (8, 1024, 65536, 1 << 20)
_SPEEDS = {"mpi4py": (3e-6, 4e9), "torch-gloo": (2e-4, 5e8), "horovod-torch": (8e-4, 1.5e9)}
_SLOW_PAIR = frozenset({2, 3})


def check(identifier: str, name: str, outcome: Outcome, message: str, **details: object) -> Check:
    """A check that took half a second."""
    return Check(id=identifier, name=name, outcome=outcome, message=message, details=details, seconds=0.5)


def four_nodes(*, lost: bool = False, factor: float = 1.0) -> Report:
    """Four nodes with two ranks each, the pair of ranks 2 and 3 slow.

    Args:
        lost: whether rank 7 never appeared, which fails.
        factor: how many times longer communication takes than it usually does.
    """
    ranks = tuple(_rank(number, factor) for number in range(7 if lost else 8))
    checks = [
        check("S1", "lock and node", Outcome.PASSED, "6 files of 2 distributions as installed"),
        check("S4", "GPU code", Outcome.NOT_APPLICABLE, "not applicable: no GPU"),
        check("L1", "launch", Outcome.PASSED, "8 ranks on n[1-4]"),
        check(
            "P1", "imports", Outcome.WARNED, "secondary modules cannot be imported: <plac_tk>", tk=["a & b"]
        ),
        check("C2", "mpi4py allreduce", Outcome.PASSED, "40 sums exact on each of 8 ranks"),
        check("C16", "pairs of ranks", Outcome.WARNED, "1 of 28 pairs are slow: rank 2 and rank 3"),
        check("W1", "supervision", Outcome.PASSED, "8 ranks ended by themselves"),
    ]
    if lost:
        message = "no sign of rank 7 of 8\x1b[0m; there are rank 0 on n1, ..."
        checks[2] = check("L1", "launch", Outcome.FAILED, message)
        checks[-1] = check("W1", "supervision", Outcome.TIMED_OUT, "the deadline of one phase passed")
    return Report(
        lock="pylock.stack.toml",
        lock_sha256="ab" * 32,
        group="stack",
        target="cluster",
        started=dt.datetime(2026, 1, 31, 12, tzinfo=dt.UTC),
        seconds=61.25,
        envlock="0.1.0",
        knowledge="cd" * 32,
        host={"name": "n1", "kernel": "6.1", "machine": "x86_64"},
        checks=tuple(checks),
        ranks=ranks,
        ranks_asked=8,
        surroundings=Surroundings(
            host="n1",
            kernel="6.1",
            systems={"driver": "525.60", "openmpi": "4.1.4, module load OpenMPI/4.1.4, /sw/ompi"},
            libraries={"/sw/ompi/lib/libmpi.so.40": "ef" * 32},
        ),
    )


def later(report: Report, *, hours: int) -> Report:
    """The same verification some hours later."""
    return replace(report, started=report.started + dt.timedelta(hours=hours))


def _rank(number: int, factor: float) -> RankResult:
    host = f"n{1 + number // 2}"
    return RankResult(
        host=host,
        pid=100 + number,
        phase="done",
        step=12,
        done=True,
        launcher={"source": "openmpi", "rank": number, "size": 8, "local_rank": number % 2},
        mpi={"rank": number, "size": 8, "library": "Open MPI v4.1.4, package: Debian"},
        facts={"kernel": "6.1", "host_cpus": 64, "gpus": {"uuids": [], "driver": ""}},
        libraries={"outcome": "passed", "message": "one copy of each", "families": {}},
        back_ends={name: _result(name, number, factor) for name in _SPEEDS},
    )


def _result(name: str, number: int, factor: float) -> BackEndResult:
    latency, rate = _SPEEDS[name]
    points = tuple(
        Point(
            bytes=size, iterations=4, samples=tuple(factor * (latency + size / rate) * f for f in (1, 1.2, 2))
        )
        for size in _SIZES
    )
    pairs = tuple(
        Meeting(
            peer=peer,
            small_s=2e-6,
            large_s=3e-3 if {number, peer} == _SLOW_PAIR else 1e-3,
            large_bytes=1 << 20,
        )
        for peer in range(8)
        if peer != number
    )
    return BackEndResult(
        outcome="passed",
        rank=number,
        size=8,
        local_rank=number % 2,
        reductions=40,
        seconds=1.0,
        max_bytes=1 << 20,
        curves=(Curve(mode="single", points=points),),
        pairs=pairs if name == "mpi4py" else (),
    )
