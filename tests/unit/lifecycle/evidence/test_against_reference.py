"""A comparison of two programs: what it may say of machines that are steady, and of those that are not."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envlock.lifecycle.evidence.against_reference import Standing, place_in_order, rows, settled, verdict
from envlock.model.proving.measurement import Launch, Reference
from envlock.model.proving.report import Outcome

MIB = 1 << 20
NET = {8: 2e-6, MIB: 200e-6}
CALL = 0.1e-6


def launch(factor: float = 1.0, speed: float = 1.0, call: float = CALL) -> Launch:
    """What messages take on a machine of this speed, times a factor, and a call of nothing."""
    sweep = {0: call * speed} | {size: (call + net * factor) * speed for size, net in NET.items()}
    return Launch(ranks=2, sweeps=(sweep,) * 3)


def reference(ours: list[Launch], theirs: list[Launch]) -> Reference:
    return Reference(
        program="IMB-MPI1", back_end="mpi4py", ours=tuple(ours), theirs=tuple(theirs), budget_s=15.0
    )


def standings(found: Reference) -> dict[int, Standing]:
    return {row.bytes: row.standing for row in rows(found)}


def test_equal_programs_are_within_though_the_machine_halves_its_speed_between_pairs() -> None:
    speeds = [1.0, 2.0, 2.0, 1.0, 1.5, 1.0]
    launches = [launch(speed=speed) for speed in speeds]
    found = reference(launches, launches)
    assert standings(found) == {8: Standing.WITHIN, MIB: Standing.WITHIN}
    assert settled(found)
    outcome, told = verdict(found, rows(found))
    assert outcome is Outcome.PASSED
    assert told.startswith(
        "within 10% of IMB-MPI1 at 2 of 2 sizes, 6 launches of each, each less its call of"
    )


def test_a_bandwidth_lower_by_30_percent_is_caught() -> None:
    found = reference([launch(1 / 0.7)] * 6, [launch()] * 6)
    assert standings(found)[MIB] is Standing.SLOWER
    outcome, told = verdict(found, rows(found))
    assert outcome is Outcome.WARNED
    assert "slower than IMB-MPI1 by more than 10% at 2 of 2 sizes: 8 B 1.43x" in told
    assert "1 MiB 1.43x (1.43 to 1.43)" in told


def test_what_is_faster_than_the_reference_is_not_near_it() -> None:
    found = reference([launch(0.7)] * 6, [launch()] * 6)
    assert standings(found) == {8: Standing.FASTER, MIB: Standing.FASTER}
    assert verdict(found, rows(found))[0] is Outcome.WARNED


def test_a_reference_that_varies_by_more_than_a_tenth_shows_no_tenth() -> None:
    theirs = [launch(speed=speed) for speed in (1.0, 1.3, 1.0, 1.3, 1.15, 1.3)]
    found = reference([launch(speed=1.15)] * 6, theirs)
    assert standings(found) == {8: Standing.VARIES, MIB: Standing.VARIES}
    assert not settled(found)
    outcome, told = verdict(found, rows(found))
    assert outcome is Outcome.NOT_APPLICABLE
    assert told.startswith(
        "undecided at 2 of 2 sizes: between 6 launches IMB-MPI1 itself varies by 30% and the probe by 0%"
    )


def test_some_sizes_within_do_not_pass_for_others_that_vary() -> None:
    shaky = [
        Launch(ranks=2, sweeps=({**launch().sweeps[0], MIB: 200e-6 * by},)) for by in (1, 1.4, 1, 1.4, 1, 1.4)
    ]
    found = reference([launch()] * 6, shaky)
    assert standings(found) == {8: Standing.WITHIN, MIB: Standing.VARIES}
    assert verdict(found, rows(found))[0] is Outcome.NOT_APPLICABLE


def test_a_message_that_is_short_beside_a_call_from_python_is_told_and_not_judged() -> None:
    cold = Launch(
        ranks=2, sweeps=({0: 1.5e-6, 8: 3.9e-6, MIB: 201.5e-6},)
    )  # 0.4 µs that nothing did not cost
    found = reference([cold] * 6, [launch()] * 6)
    assert standings(found) == {8: Standing.CALL, MIB: Standing.WITHIN}
    outcome, told = verdict(found, rows(found))
    assert outcome is Outcome.PASSED
    assert "1 of 2 sizes too short beside a call from Python, 1.5 µs, to tell a tenth: 8 B 1.20x" in told


def test_a_short_message_is_within_once_the_call_of_nothing_is_taken_off() -> None:
    found = reference([launch(call=1.5e-6)] * 6, [launch()] * 6)
    assert standings(found) == {8: Standing.WITHIN, MIB: Standing.WITHIN}
    assert verdict(found, rows(found))[1].endswith("each less its call of nothing (1.5 µs from Python)")
    assert rows(found)[0].seconds == pytest.approx(3.5e-6)  # told as it was measured


def test_sweeps_that_others_disturbed_do_not_count_for_either() -> None:
    quiet, noisy = launch().sweeps[0], launch(speed=8.0).sweeps[0]
    disturbed = Launch(ranks=2, sweeps=(noisy, quiet, noisy, noisy, quiet, noisy, noisy, quiet))
    found = reference([disturbed] * 6, [launch()] * 6)
    assert standings(found) == {8: Standing.WITHIN, MIB: Standing.WITHIN}
    slow = reference([Launch(ranks=2, sweeps=(launch(1 / 0.7).sweeps[0],) * 8)] * 6, [disturbed] * 6)
    assert standings(slow)[MIB] is Standing.SLOWER


def test_a_short_message_that_is_far_too_slow_is_caught_all_the_same() -> None:
    found = reference([launch(2.0, call=1.5e-6)] * 6, [launch()] * 6)
    assert standings(found)[8] is Standing.SLOWER


@pytest.mark.parametrize("launches", [1, 5])
def test_few_launches_judge_nothing(launches: int) -> None:
    found = reference([launch()] * launches, [launch()] * launches)
    assert set(standings(found).values()) == {Standing.FEW}
    assert not settled(found)
    outcome, told = verdict(found, rows(found))
    assert outcome is Outcome.NOT_APPLICABLE
    assert told.startswith(
        f"too few launches to judge by, {launches} of each in 15 s (--reference-time gives more): 8"
    )


def test_a_reference_without_a_call_of_nothing_keeps_its_own() -> None:
    theirs = [Launch(ranks=2, sweeps=({MIB: 200e-6},))] * 6
    (row,) = rows(reference([launch()] * 6, theirs))
    assert (row.bytes, row.ratio) == (MIB, pytest.approx(1.0))


def test_times_that_are_lost_in_the_clock_are_left_out_and_told() -> None:
    lost = Launch(ranks=2, sweeps=({0: 1e-7, 8: 1e-7, MIB: 200e-6},))
    both = reference([launch()] * 6, [lost] * 6)
    found = rows(both)
    assert [row.bytes for row in found] == [MIB]
    assert verdict(both, found)[1].endswith("not told apart from a call of nothing by the clock: 8 B")


def test_one_disturbed_call_of_nothing_does_not_hide_a_size() -> None:
    disturbed = Launch(ranks=2, sweeps=({0: 9e-6, 8: 2.1e-6, MIB: 200.1e-6},))
    found = reference([launch()] * 5 + [disturbed], [launch()] * 6)
    assert standings(found) == {8: Standing.VARIES, MIB: Standing.WITHIN}
    assert rows(found)[0].low < 0
    assert rows(found)[0].ours_vary > 1


@given(st.integers(min_value=0, max_value=60))
def test_the_order_bounds_the_median_with_the_confidence_promised(count: int) -> None:
    k = place_in_order(count)

    def confidence(place: int) -> float:
        return 1 - 2 * sum(math.comb(count, below) for below in range(place)) / 2**count

    assert k == 0 or confidence(k) >= 0.95
    assert k + 1 > count // 2 or confidence(k + 1) < 0.95
    assert (k > 0) == (count >= 6)


def simulated(rng: random.Random, factor: float, pairs: int, dwell: float) -> Reference:
    """A machine of two speeds, as a virtual one is whose processors share cores with others'.

    Between launches it changes its speed with probability ``dwell``; each launch is off by up to 3 %.
    """
    speed, ours, theirs = 1.0, [], []
    for _ in range(pairs):
        for launches, by in ((theirs, 1.0), (ours, factor)):
            if rng.random() < dwell:
                speed = 1.5 if speed == 1.0 else 1.0
            launches.append(launch(by, speed * rng.uniform(0.97, 1.03)))
    return reference(ours, theirs)


def share(of: Callable[[Reference], bool], factor: float, dwell: float) -> float:
    rng = random.Random(20)
    return sum(of(simulated(rng, factor, 12, dwell)) for _ in range(100)) / 100


@pytest.mark.parametrize("dwell", [0.0, 0.1, 0.3, 0.5])
def test_no_machine_of_two_speeds_hides_a_bandwidth_lower_by_30_percent(dwell: float) -> None:
    passes = share(lambda one: verdict(one, rows(one))[0] is Outcome.PASSED, 1 / 0.7, dwell)
    assert passes == 0
    if dwell <= 0.1:
        assert share(lambda one: standings(one)[MIB] is Standing.SLOWER, 1 / 0.7, dwell) > 0.9


@pytest.mark.parametrize("dwell", [0.0, 0.1, 0.3, 0.5])
def test_no_machine_of_two_speeds_makes_equal_programs_differ(dwell: float) -> None:
    assert share(lambda one: verdict(one, rows(one))[0] is Outcome.WARNED, 1.0, dwell) <= 0.01
    if dwell <= 0.1:
        assert share(lambda one: standings(one)[MIB] is Standing.WITHIN, 1.0, dwell) > 0.9
