from __future__ import annotations

from collections import Counter

import pytest

from envlock.probe.pairs import rounds


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 8])
def test_everyone_meets_everyone_once_and_one_at_a_time(count: int) -> None:
    entrants = [10 * number for number in range(count)]
    found = rounds(entrants)
    assert len(found) == count - 1 + count % 2
    met: Counter[frozenset[int]] = Counter()
    for meetings in found:
        assert all(meetings[other] == one for one, other in meetings.items())
        met.update({frozenset(pair) for pair in meetings.items()})
    assert set(met.values()) <= {1}
    assert len(met) == count * (count - 1) // 2
