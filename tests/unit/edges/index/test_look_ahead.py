"""How many further releases are asked about at once."""

from __future__ import annotations

from envlock.edges.index.look_ahead import LookAhead


def test_nothing_at_first_then_twice_as_many_each_time_up_to_a_limit():
    ahead = LookAhead(6)
    assert [ahead.further("a") for _ in range(5)] == [0, 2, 4, 6, 6]
    assert ahead.further("b") == 0


def test_what_was_begun_ahead_counts_as_the_first():
    ahead = LookAhead(6)
    ahead.begin("a")
    assert ahead.further("a") == 2
    ahead.begin("a")
    assert ahead.further("a") == 4
