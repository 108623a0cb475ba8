"""What was proved of a candidate counts under the same wishes, facts and decisions alone."""

from __future__ import annotations

from envlock.solve.requirements import EVERY, Candidate, Level, Requirement
from envlock.solve.searching.nogoods import _MOST_BESIDE, Nogood, Nogoods

CANDIDATE = Candidate(identifier="a", versions=("1.0",))
OTHER = Candidate(identifier="b", versions=("1.0",))
ASK = Requirement(identifier="a", level=Level.MUST, range=EVERY, asked_by="you")
PROVED = Nogood(frozenset({ASK}), frozenset({"fact"}), frozenset({OTHER}))


def test_a_nogood_counts_where_all_that_it_rests_on_is_there() -> None:
    nogoods = Nogoods()
    nogoods.add(CANDIDATE, PROVED)
    wishes, facts, pins = frozenset({ASK}), {"fact", "more"}, {"b": OTHER}
    assert nogoods.of(CANDIDATE, wishes, facts, pins) == PROVED
    assert nogoods.of(CANDIDATE, frozenset(), facts, pins) is None
    assert nogoods.of(CANDIDATE, wishes, {"more"}, pins) is None
    assert nogoods.of(CANDIDATE, wishes, facts, {}) is None
    assert nogoods.of(OTHER, wishes, facts, pins) is None


def test_a_nogood_of_many_decisions_is_not_kept() -> None:
    nogoods, others = Nogoods(), [Candidate(identifier=f"b{n}", versions=("1",)) for n in range(9)]
    many = others[: _MOST_BESIDE + 1]
    nogoods.add(CANDIDATE, PROVED._replace(beside=frozenset(many)))
    pins = {one.identifier: one for one in many}
    assert nogoods.of(CANDIDATE, frozenset({ASK}), {"fact"}, pins) is None
