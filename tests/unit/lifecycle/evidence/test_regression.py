from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest

from envlock.lifecycle.evidence.news import News, Turned, news
from envlock.lifecycle.evidence.regression import metrics, regression_check
from envlock.model.proving.measurement import Curve, Point
from envlock.model.proving.report import Check, Outcome, Report
from envlock.model.proving.surroundings import Surroundings
from tests.unit.model.proving.test_report import RANK, REPORT


def run(*, latency: float = 2e-6, large: float = 1e-3, imports: float = 10.0, day: int = 1) -> Report:
    """A good run of two ranks; the large message has 2 MiB."""
    points = (
        Point(bytes=8, iterations=9, samples=(latency, 3 * latency)),
        Point(bytes=1 << 21, iterations=1, samples=(large, 2 * large)),
    )
    result = replace(RANK.back_ends["horovod-torch"], curves=(Curve(mode="single", points=points),))
    ranks = tuple(
        replace(RANK, launcher={"rank": number}, back_ends={"mpi4py": result}) for number in range(2)
    )
    check = Check(id="P1", name="imports", outcome=Outcome.PASSED, message="", details={}, seconds=imports)
    started = dt.datetime(2026, 1, day, 12, tzinfo=dt.UTC)
    return replace(REPORT, checks=(check,), ranks=ranks, started=started)


def test_numbers_of_a_report() -> None:
    found = {(metric.name, metric.unit): metric.value for metric in metrics(run())}
    assert found == {
        ("imports", "s"): 10.0,
        ("mpi4py 8 bytes", "s"): 2e-6,
        ("mpi4py 2097152 bytes", "GB/s"): pytest.approx(2.097152),
    }


@pytest.mark.parametrize(
    ("now", "outcome", "told"),
    [
        ({}, Outcome.PASSED, "no worse than on 2026-01-01 12:00 by 25% in bandwidth or 50% in time: imports"),
        (
            {"latency": 2.9e-6, "large": 1.3e-3, "imports": 14.0},
            Outcome.PASSED,
            "mpi4py 8 bytes, mpi4py 2097152 bytes",
        ),
        ({"latency": 3.1e-6}, Outcome.WARNED, "mpi4py 8 bytes 2 µs -> 3.1 µs"),
        ({"large": 1.4e-3}, Outcome.WARNED, "mpi4py 2097152 bytes 2.1 GB/s -> 1.5 GB/s"),
        ({"imports": 15.5}, Outcome.WARNED, "imports 10 s -> 15.5 s"),
    ],
)
def test_slower_than_the_last_good_run(now: dict[str, float], outcome: Outcome, told: str) -> None:
    check = regression_check(run(day=2, **now), [run()])  # type: ignore[arg-type]
    assert (check.id, check.outcome) == ("R1", outcome)
    assert told in check.message


def test_bandwidth_is_told_at_1_mib_and_at_the_largest_message() -> None:
    report = run()
    ranks = []
    for rank in report.ranks:
        result = rank.back_ends["mpi4py"]
        (curve,) = result.curves
        first, largest = curve.points
        steady = Point(bytes=1 << 20, iterations=1, samples=(1e-3,))
        longer = replace(curve, points=(first, steady, largest))
        ranks.append(replace(rank, back_ends={"mpi4py": replace(result, curves=(longer,))}))
    found = {metric.name: metric.value for metric in metrics(replace(report, ranks=tuple(ranks)))}
    assert found["mpi4py 1048576 bytes"] == pytest.approx(1.048576)
    assert found["mpi4py 2097152 bytes"] == pytest.approx(2.097152)


def test_bandwidth_is_compared_at_the_largest_message_of_both() -> None:
    def with_larger(report: Report) -> Report:
        """As if time had allowed one more size, at which it is slower."""
        ranks = []
        for rank in report.ranks:
            result = rank.back_ends["mpi4py"]
            (curve,) = result.curves
            more = replace(curve, points=(*curve.points, Point(bytes=1 << 23, iterations=1, samples=(1.0,))))
            ranks.append(replace(rank, back_ends={"mpi4py": replace(result, curves=(more,))}))
        return replace(report, ranks=tuple(ranks))

    for before, now in ((run(), with_larger(run(day=2))), (with_larger(run()), run(day=2))):
        check = regression_check(now, [before])
        assert check.message.endswith(
            "by 25% in bandwidth or 50% in time: imports, mpi4py 8 bytes, mpi4py 2097152 bytes"
        )
    slow = regression_check(with_larger(run(day=2, large=2e-3)), [run()])
    assert "mpi4py 2097152 bytes 2.1 GB/s -> 1.05 GB/s" in slow.message


def on_one_processor(report: Report) -> Report:
    """Let both ranks have had one processor."""
    facts = {"boot": "b", "affinity": [0], "cpus": 1, "host_cpus": 1}
    return replace(report, ranks=tuple(replace(rank, facts=facts) for rank in report.ranks))


def test_times_of_ranks_that_share_processors_are_not_compared() -> None:
    """Four ranks on two processors are slower by half from one minute to the next."""
    for before, now in (
        (on_one_processor(run()), run(day=2, latency=1e-5)),
        (run(), on_one_processor(run(day=2, latency=1e-5))),
    ):
        check = regression_check(now, [before])
        assert check.outcome is Outcome.PASSED
        left_out = "ranks shared processors, so not compared: mpi4py 8 bytes, mpi4py 2097152 bytes"
        assert check.message.endswith(f"50% in time: imports; {left_out}")


def test_it_fails_only_where_that_is_wanted() -> None:
    slow = run(large=1.0, day=2)
    assert regression_check(slow, [run()]).outcome is Outcome.WARNED
    assert regression_check(slow, [run()], fail=True).outcome is Outcome.FAILED


def test_a_lasting_loss_is_told_until_it_is_accepted() -> None:
    """The slower run would otherwise measure the next, which then is as good as the last."""

    def checked(report: Report, earlier: list[Report], *, accept: bool = False) -> Report:
        slower = regression_check(report, earlier, accept=accept)
        return replace(report, checks=(*report.checks, slower))

    slow = checked(run(large=1.0, day=2), [run()])
    again = checked(run(large=1.0, day=3), [slow, run()])
    assert [one.checks[-1].outcome for one in (slow, again)] == [Outcome.WARNED, Outcome.WARNED]
    assert "worse than on 2026-01-01" in again.checks[-1].message
    assert again.checks[-1].message.endswith("(--accept-slower makes it the measure of later runs)")
    accepted = checked(run(large=1.0, day=4), [again, slow, run()], accept=True)
    assert accepted.checks[-1].outcome is Outcome.PASSED
    assert accepted.checks[-1].message.endswith("GB/s; accepted as the measure of later runs")
    after = checked(run(large=1.0, day=5), [accepted, again, slow, run()])
    assert "no worse than on 2026-01-04" in after.checks[-1].message


def test_a_run_of_ranks_that_shared_processors_hides_no_loss() -> None:
    disturbed = on_one_processor(run(large=1.0, day=2))
    check = regression_check(run(large=1.0, day=3), [disturbed, run()])
    assert check.outcome is Outcome.WARNED
    assert "worse than on 2026-01-01" in check.message


def test_a_short_import_is_the_disks_cache() -> None:
    assert regression_check(run(imports=2.5), [run(imports=1.0)]).outcome is Outcome.PASSED


def test_only_good_runs_of_as_many_ranks_on_as_many_nodes_count() -> None:
    bad = replace(run(large=1e-3), checks=(replace(REPORT.checks[0], outcome=Outcome.FAILED),))
    alone = replace(run(), ranks=run().ranks[:1])
    spread = replace(run(), ranks=(run().ranks[0], replace(run().ranks[1], host="n2")))
    elsewhere = replace(run(), target="other")
    check = regression_check(run(large=1.0), [bad, alone, spread, elsewhere])
    assert check.outcome is Outcome.NOT_APPLICABLE
    newest_first = [bad, run(large=1.0, day=3), run(day=2)]
    assert regression_check(run(large=1.0, day=4), newest_first).outcome is Outcome.PASSED


def test_a_library_that_no_rank_loaded_is_not_gone() -> None:
    library = {"/usr/lib/libmpi.so.40": "ab" * 32}
    before = replace(run(), surroundings=Surroundings(libraries=library))
    nobody = replace(run(day=2), ranks=(), surroundings=Surroundings())
    assert news(before, nobody).surroundings == ()
    other = replace(run(day=2), surroundings=Surroundings(libraries=dict.fromkeys(library, "cd" * 32)))
    assert [one.what for one in news(before, other).surroundings] == ["/usr/lib/libmpi.so.40"]


def test_news() -> None:
    before = replace(run(), surroundings=Surroundings(systems={"driver": "525.60"}))
    gone = Check(id="C5", name="gloo", outcome=Outcome.PASSED, message="", details={})
    failed = replace(before.checks[0], outcome=Outcome.FAILED)
    now = replace(
        run(day=2),
        checks=(failed,),
        lock_sha256="ef" * 32,
        surroundings=Surroundings(systems={"driver": "580.65"}),
    )
    found = news(replace(before, checks=(*before.checks, gone)), now)
    assert isinstance(found, News)
    assert found.other_lock
    assert [(one.what, one.verified, one.found) for one in found.surroundings] == [
        ("driver", "525.60", "580.65")
    ]
    assert found.turned == (
        Turned(id="P1", name="imports", before=Outcome.PASSED, now=Outcome.FAILED),
        Turned(id="C5", name="gloo", before=Outcome.PASSED, now=None),
    )
    assert news(before, replace(before)).turned == ()
