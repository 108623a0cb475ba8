"""The exact search by itself: its answer, its blame, its bound, and what becomes of a refusal beyond it."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from envlock.model.locked.pins import Solved, Unsolvable
from envlock.solve.offers.candidates import Shared
from envlock.solve.requirements import Candidate
from envlock.solve.resolve import resolve
from envlock.solve.searching import solver as solver_module
from envlock.solve.searching.nogoods import Nogood, Nogoods
from envlock.solve.searching.outcomes import Found, Refuted, Undecided
from envlock.solve.searching.search import Search
from envlock.solve.searching.solver import Solver
from tests.property.universes import Universe, universe

INDEX = {
    "a": {"1.0": {"requires": ["b<2"]}, "2.0": {"requires": ["b<2"]}},
    "b": {"1.0": {}, "2.0": {}},
    "c": {"1.0": {"requires": ["b>=2"]}, "2.0": {"requires": ["b>=2"]}},
    "d": {"1.0": {}, "2.0": {}},
}


def small(*requires: str) -> Universe:
    return universe(Random(0)).changed(
        index=INDEX, group={"requires": list(requires)}, need=[], fact=[], build=[], flavour=[]
    )


def search(one: Universe, bound: int = 100) -> tuple[Solver, Found | Refuted | Undecided]:
    solver = Solver(one.request, one.knowledge, one.catalogue, Shared())
    provider = solver.provider(solver.facts)
    return solver, Search(provider).run(solver.requirements(), bound=bound)


def test_finds_the_newest():
    _, found = search(small("a", "d"))
    assert isinstance(found, Found)
    assert {name: found.mapping[name].version for name in "abd"} == {"a": "2.0", "b": "1.0", "d": "2.0"}


def test_blames_only_who_takes_part():
    _, refuted = search(small("d", "a", "c"))
    assert isinstance(refuted, Refuted)
    assert {requirement.identifier for requirement in refuted.requirements} == {"a", "c"}
    assert refuted.identifier == "b"


def test_does_not_go_back_to_what_changes_nothing():
    """Twenty releases of ``e`` ask for ``f`` as the request does; all of ``f`` fall to ``d``, each once."""
    index = {
        "d": {"1.0": {}},
        "e": {f"{number}.0": {"requires": ["f"]} for number in range(20)},
        "f": {f"{number}.0": {"requires": ["d>1"]} for number in range(30)},
    }
    one = small("d", "e", "f").changed(index=index)
    solver = Solver(one.request, one.knowledge, one.catalogue, Shared())
    search = Search(solver.provider(solver.facts))
    refuted = search.run(solver.requirements(), bound=1000)
    assert isinstance(refuted, Refuted)
    assert {requirement.identifier for requirement in refuted.requirements} == {"d", "f"}
    assert search.decisions < 60


def test_what_falls_to_the_request_alone_is_tried_once():
    """Forty releases of ``e`` pin one ``f``, behind which a chain leads nowhere: it is gone through once."""
    chain = {f"g{number}": {"1.0": {"requires": [f"g{number + 1}"]}} for number in range(10)}
    index = {
        "e": {f"{number}.0": {"requires": ["f==1.0"]} for number in range(40)},
        "f": {"1.0": {"requires": ["g0"]}},
        **chain,
        "g10": {f"{number}.0": {"requires": ["h>1"]} for number in range(3)},
        "h": {"1.0": {}},
    }
    one = small("e").changed(index=index)
    solver = Solver(one.request, one.knowledge, one.catalogue, Shared())
    nogoods = Nogoods()
    provider = solver.provider(solver.facts).with_all_pre_releases()
    first = Search(provider, nogoods)
    refuted = first.run(solver.requirements(), bound=1000)
    assert isinstance(refuted, Refuted)
    assert first.decisions < 80
    again = Search(solver.provider(solver.facts), nogoods)
    assert again.run(solver.requirements(), bound=1000).requirements == refuted.requirements
    assert again.decisions < 5


def test_what_leaves_out_only_what_falls_anyway_is_not_blamed():
    """Whatever ``e0`` to ``e3`` leave of ``f``, no ``g`` answers it: no reason to try 20,000 sets of them."""
    middle = {
        f"e{place}": {f"{number}.0": {"requires": [f"f>={number + place}"]} for number in range(12)}
        for place in range(4)
    }
    index = {
        **middle,
        "f": {f"{number}.0": {"requires": [f"g=={number}.5"]} for number in range(20)},
        "g": {f"{number}.0": {} for number in range(3)},
    }
    one = small(*middle, "g").changed(index=index)
    solver = Solver(one.request, one.knowledge, one.catalogue, Shared())
    search = Search(solver.provider(solver.facts).with_all_pre_releases())
    refuted = search.run(solver.requirements(), bound=1000)
    assert isinstance(refuted, Refuted)
    assert search.decisions < 100
    assert refuted.identifier == "g"


def test_what_keeps_falling_to_one_decision_is_decided_before_it():
    """``p`` has fewer releases and is decided first; all 400 of ``w`` ask for an older one."""
    index = {
        "p": {"1.0": {}, "2.0": {}},
        "w": {f"{number}.0": {"requires": ["p<2"]} for number in range(400)},
    }
    one = small("p", "w").changed(index=index)
    solver = Solver(one.request, one.knowledge, one.catalogue, Shared())
    search = Search(solver.provider(solver.facts).with_all_pre_releases())
    found = search.run(solver.requirements(), bound=1000)
    assert isinstance(found, Found)
    assert {name: found.mapping[name].version for name in "pw"} == {"p": "1.0", "w": "399.0"}
    assert search.decisions < 10


def test_what_was_proved_beside_decisions_counts_beside_these_alone():
    fallen, other, another = (
        Candidate(identifier=name, versions=(version,))
        for name, version in (("a", "1"), ("b", "1"), ("b", "2"))
    )
    nogoods = Nogoods()
    nogood = Nogood(frozenset(), frozenset(), frozenset({other}))
    nogoods.add(fallen, nogood)
    assert nogoods.of(fallen, frozenset(), (), {"b": other}) == nogood
    assert nogoods.of(fallen, frozenset(), (), {"b": another}) is None
    assert nogoods.of(fallen, frozenset(), (), {}) is None


def test_pre_releases_come_last_where_all_count():
    one = small("b").changed(index={"b": {"1.0": {}, "2.0rc1": {}}})
    solver = Solver(one.request, one.knowledge, one.catalogue, Shared())
    provider = solver.provider(solver.facts).with_all_pre_releases()
    assert [found.version for found in provider.answers("b", frozenset(solver.requirements()))] == [
        "1.0",
        "2.0rc1",
    ]


def test_a_refusal_never_rests_on_what_nobody_has_named_so_far():
    """That ``a`` cannot be had rests on nobody's having named ``b`` 2.0rc1, which ``d`` does."""
    index = {
        "a": {"1.0": {"requires": ["b"]}},
        "b": {"1.0": {"requires": ["c>1"]}, "2.0rc1": {}},
        "c": {"1.0": {}},
        "d": {"1.0": {"requires": ["b>=2.0rc1"]}},
    }
    one = small("a", "d").changed(index=index)
    solver = Solver(one.request, one.knowledge, one.catalogue, Shared())
    without_d = [requirement for requirement in solver.requirements() if requirement.identifier != "d"]
    assert isinstance(solver.attempt(without_d, solver.facts), Refuted)
    found = solver.attempt(solver.requirements(), solver.facts)
    assert isinstance(found, Found)
    assert found.mapping["b"].version == "2.0rc1"


def test_an_exact_answer_with_a_pre_release_counts_where_resolvelib_finds_none(
    monkeypatch: pytest.MonkeyPatch,
):
    index = {
        "a": {"1.0": {"requires": ["b"]}},
        "b": {"1.0": {"requires": ["c>1"]}, "2.0rc1": {}},
        "c": {"1.0": {}},
        "d": {"1.0": {"requires": ["b>=2.0rc1"]}},
    }
    monkeypatch.setattr(solver_module, "by_resolvelib", lambda *_: None)
    one = small("a", "d").changed(index=index)
    solver = Solver(one.request, one.knowledge, one.catalogue, Shared())
    assert isinstance(solver.attempt(solver.requirements(), solver.facts), Found)
    assert solver.overruled == 1


def test_what_is_kept_is_let_go_where_a_short_search_comes_to_no_end(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(solver_module, "_DECISIONS_AT_FIRST", 0)
    one = small("a", "d")
    answer = resolve(replace(one.request, preferred={"b": "2.0", "d": "1.0"}), one.knowledge, one.catalogue)
    assert isinstance(answer, Solved)
    pins = {pin.component: pin.version for pin in answer.distributions}
    assert pins == {"a": "2.0", "b": "1.0", "d": "1.0"}


def test_gives_up_at_its_bound():
    assert isinstance(search(small("a", "d"), bound=0)[1], Undecided)


def test_a_refusal_beyond_the_bound_stands(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(solver_module, "_DECISIONS_AT_FIRST", 0)
    monkeypatch.setattr(solver_module, "_MAX_DECISIONS", 0)
    one = small("d", "a", "c")
    refusal = resolve(one.request, one.knowledge, one.catalogue)
    assert isinstance(refusal, Unsolvable)
    told = {reason.wants for reason in refusal.reasons if reason.asked_by == "you"}
    assert told == {"a", "c"}
