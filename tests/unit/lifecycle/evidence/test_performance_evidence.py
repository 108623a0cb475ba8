from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from envlock.lifecycle.evidence.machines import crowded
from envlock.lifecycle.evidence.performance import merged_curves, performance_checks
from envlock.model.proving.measurement import (
    Curve,
    Launch,
    Meeting,
    Point,
    Reference,
    Training,
    algorithm_gb_s,
    bus_gb_s,
)
from envlock.model.proving.probing import Plan
from envlock.model.proving.rank_result import BackEndResult, RankResult
from envlock.model.proving.report import Check, Outcome

SIZE = 4
PLAN = Plan(distributions=(), back_ends=("mpi4py",), ranks=SIZE)
MIB = 1 << 20


def point(size: int, *microseconds: float) -> Point:
    return Point(bytes=size, iterations=10, samples=tuple(one * 1e-6 for one in microseconds))


def rank(
    number: int,
    *,
    points: tuple[Point, ...] = (),
    slow: frozenset[int] = frozenset(),
    factor: float = 1,
    own: float = 0.01,
) -> RankResult:
    pairs = tuple(
        Meeting(
            peer=peer,
            small_s=1e-6 * (factor if {peer, number} & slow else 1),
            large_s=1e-3,
            large_bytes=MIB,
        )
        for peer in range(SIZE)
        if peer != number
    )
    result = BackEndResult(
        outcome="passed",
        size=SIZE,
        facts={},
        curves=(Curve(mode="single", points=points),) if points else (),
        pairs=pairs,
        training=Training(steps=3, digest="", gradient_bytes=8, seconds=(own,), computing=(own,)),
    )
    return RankResult(
        host=f"n{number}",
        pid=number,
        phase="done",
        step=9,
        done=True,
        launcher={"rank": number},
        mpi={},
        facts={},
        libraries={},
        back_ends={"mpi4py": result},
    )


def checks(
    *ranks: RankResult, reference: Mapping[int, float] | None = None, seen: int = SIZE
) -> dict[str, Check]:
    """The reference's times are in microseconds; the probe's launches took 1 and 100 of them."""
    theirs = Launch(ranks=seen, sweeps=({size: one * 1e-6 for size, one in (reference or {}).items()},))
    ours = Launch(ranks=SIZE, sweeps=({0: 0.01e-6, 8: 1e-6, MIB: 100e-6},))
    told = (
        Reference(
            program="IMB-MPI1", back_end="mpi4py", ours=(ours,) * 6, theirs=(theirs,) * 6, budget_s=15.0
        ),
    )
    found = performance_checks(ranks, PLAN, told if reference else ())
    return {check.name: check for check in found}


def timing(reference: Mapping[int, float] | None = None, seen: int = SIZE) -> Check:
    points = (point(8, 1.0, 3.0, 2.0), point(MIB, 100, 120, 110))
    later = (point(8, 1.5, 1.0, 1.0), point(MIB, 105, 100, 100))
    ranks = [rank(0, points=points), *(rank(n, points=later) for n in range(1, SIZE))]
    return checks(*ranks, reference=reference, seen=seen)["mpi4py timing"]


def test_of_each_sample_the_slowest_rank_counts() -> None:
    check = timing()
    (curve,) = check.details["curves"]  # type: ignore[attr-defined]
    assert curve["points"][0]["samples"] == pytest.approx([1.5e-6, 3e-6, 2e-6])
    assert curve["points"][1]["seconds_median"] == pytest.approx(110e-6)
    assert check.outcome is Outcome.NOT_APPLICABLE
    assert check.message == ("no reference to judge by; 8 B in 2 µs; 1 MiB at 9.53 GB/s, bus 14.3")


def test_bandwidths_are_those_of_nccl_tests() -> None:
    assert algorithm_gb_s(10**9, 0.5) == pytest.approx(2.0)
    assert bus_gb_s(10**9, 0.5, 4) == pytest.approx(3.0)
    assert bus_gb_s(10**9, 0.5, 1) == 0


@pytest.mark.parametrize(
    ("theirs", "outcome", "message"),
    [
        (
            100.0,
            Outcome.PASSED,
            "within 10% of IMB-MPI1 at 1 of 1 sizes, 6 launches of each, each less its call",
        ),
        (70.0, Outcome.WARNED, "slower than IMB-MPI1 by more than 10% at 1 of 1 sizes: 1 MiB 1.43x"),
        (130.0, Outcome.WARNED, "faster than IMB-MPI1 by more than 10% at 1 of 1 sizes: 1 MiB 0.77x"),
    ],
)
def test_the_reference_judges(theirs: float, outcome: Outcome, message: str) -> None:
    check = timing({MIB: theirs})
    assert check.outcome is outcome
    assert message in check.message
    details = check.details["reference"]
    assert isinstance(details, dict)
    assert (details["program"], details["launches"], len(details["sizes"])) == ("IMB-MPI1", 6, 1)


def test_a_size_that_the_reference_did_not_time_is_not_compared() -> None:
    check = timing({16: 1.0})
    assert check.outcome is Outcome.NOT_APPLICABLE
    assert check.message.startswith("IMB-MPI1 reported no size that was timed; 8 B in")


def test_a_reference_on_other_ranks_is_none() -> None:
    check = timing({MIB: 100}, seen=1)
    assert (check.outcome, "IMB-MPI1 saw 1 ranks instead of 4" in check.message) == (
        Outcome.NOT_APPLICABLE,
        True,
    )


def test_pairs_that_are_alike_pass() -> None:
    check = checks(*(rank(n) for n in range(SIZE)))["pairs of ranks"]
    assert (check.outcome, check.message) == (
        Outcome.PASSED,
        "6 pairs, none over 2 times the median of 1 µs and 1 ms",
    )


@pytest.mark.parametrize(("factor", "outcome"), [(3, Outcome.WARNED), (30, Outcome.FAILED)])
def test_the_rank_that_all_slow_pairs_share_is_named(factor: float, outcome: Outcome) -> None:
    check = checks(*(rank(n, slow=frozenset({2}), factor=factor) for n in range(SIZE)))["pairs of ranks"]
    assert check.outcome is outcome
    assert check.message.startswith(
        f"3 of 6 pairs are slow; all with rank 2 on n2: rank 0 on n0 and rank 2 on n2 {factor:.1f} times"
    )


def test_a_link_that_is_slow_in_one_direction_is_seen_by_the_receiver() -> None:
    ranks = [rank(n) for n in range(SIZE)]
    result = ranks[2].back_ends["mpi4py"]
    waits = tuple(replace(one, large_s=0.1) if one.peer == 1 else one for one in result.pairs)
    ranks[2] = replace(ranks[2], back_ends={"mpi4py": replace(result, pairs=waits)})
    message = checks(*ranks)["pairs of ranks"].message
    assert message == "1 of 6 pairs are slow: rank 1 on n1 and rank 2 on n2 100.0 times the median"


def test_two_pairs_are_too_few_to_compare() -> None:
    check = checks(rank(0), rank(1))["pairs of ranks"]
    assert check.outcome is not Outcome.NOT_APPLICABLE  # both met ranks that left no result
    result = rank(2).back_ends["mpi4py"]
    only = replace(rank(2), back_ends={"mpi4py": replace(result, pairs=result.pairs[-1:])})
    alone = checks(only)["pairs of ranks"]
    assert (alone.outcome, alone.message) == (Outcome.NOT_APPLICABLE, "1 pair, nothing to compare it with")


def test_a_straggler_is_named_by_its_own_work() -> None:
    check = checks(*(rank(n, own=0.05 if n == 1 else 0.01) for n in range(SIZE)))["stragglers"]
    assert check.outcome is Outcome.WARNED
    assert check.message == "own work of a training step: rank 1 on n1 5.0 times the median"
    assert checks(*(rank(n) for n in range(SIZE)))["stragglers"].outcome is Outcome.PASSED


def test_ranks_that_share_processors_are_not_judged_by_their_times() -> None:
    slow = [rank(n, slow=frozenset({2}), factor=30) for n in range(SIZE)]
    crowd = [replace(one, host="n0", facts={"host_cpus": 2}) for one in slow]
    check = checks(*crowd)["pairs of ranks"]
    assert check.outcome is Outcome.NOT_APPLICABLE
    assert check.message.startswith("4 ranks share 2 processors of n0, so pairs are not judged; 3 of 6 pairs")
    roomy = [replace(one, host="n0", facts={"host_cpus": 4}) for one in slow]
    assert checks(*roomy)["pairs of ranks"].outcome is Outcome.FAILED


def test_worlds_of_their_own_have_no_curve_in_common() -> None:
    alone = rank(0, points=(point(8, 1.0, 2.0),)), rank(1, points=(point(8, 1.0, 2.0, 3.0),))
    assert merged_curves("mpi4py", alone) == ()
    assert "mpi4py timing" not in checks(*alone)


def test_hosts_that_are_one_machine_share_its_processors() -> None:
    slow = [rank(n, slow=frozenset({2}), factor=30) for n in range(SIZE)]
    affinity = [0, 1]
    one = [replace(each, facts={"boot": "b", "host_cpus": 2, "affinity": affinity}) for each in slow]
    check = checks(*one)["pairs of ranks"]
    assert check.outcome is Outcome.NOT_APPLICABLE
    assert check.message.startswith(
        "4 ranks share 2 processors of n[0-3], which are one machine, so pairs are not judged; 3 of 6"
    )
    several = [replace(each, facts={**each.facts, "boot": f"b{n}"}) for n, each in enumerate(one)]
    assert checks(*several)["pairs of ranks"].outcome is Outcome.FAILED


def test_a_machine_that_is_busy_with_other_work_is_not_judged_by_its_times() -> None:
    def busy(one: RankResult, share: float) -> RankResult:
        result = one.back_ends["mpi4py"]
        return replace(
            one, back_ends={"mpi4py": replace(result, facts={**result.facts, "waited_share": share})}
        )

    slow = [rank(n, slow=frozenset({2}), factor=30) for n in range(SIZE)]
    check = checks(*slow[:3], busy(slow[3], 0.4))["pairs of ranks"]
    assert check.outcome is Outcome.NOT_APPLICABLE
    assert check.message.startswith("rank 3 on n3 waited for a processor during 40% of its timing, so pairs")
    assert checks(*slow[:3], busy(slow[3], 0.01))["pairs of ranks"].outcome is Outcome.FAILED


def test_turns_on_a_processor_do_not_explain_what_is_far_too_slow() -> None:
    slow = [rank(n, slow=frozenset({2}), factor=60_000) for n in range(SIZE)]
    crowd = [replace(one, facts={"boot": "b", "host_cpus": 2, "affinity": [0, 1]}) for one in slow]
    check = checks(*crowd)["pairs of ranks"]
    assert check.outcome is Outcome.FAILED
    assert check.message.startswith("3 of 6 pairs are slow; all with rank 2 on n2: ")


@pytest.mark.parametrize(
    ("affinities", "told"),
    [
        ([[0], [0], [1, 2, 3], [1, 2, 3]], "2 ranks share 1 processors of"),
        ([[0, 1], [0, 1], [0, 1], [2, 3, 4, 5]], "3 ranks share 2 processors of"),
        ([[0], [1], [2], [3]], ""),
        ([[0, 1, 2, 3]] * SIZE, ""),
    ],
)
def test_ranks_are_crowded_where_more_are_bound_than_there_are_processors(
    affinities: list[list[int]], told: str
) -> None:
    ranks = [
        replace(rank(n), facts={"boot": "b", "host_cpus": 8, "affinity": one})
        for n, one in enumerate(affinities)
    ]
    assert crowded(tuple(ranks)).startswith(told)
    assert bool(crowded(tuple(ranks))) == bool(told)
