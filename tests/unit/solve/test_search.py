"""The exact search by itself: its answer, its blame, its bound, and what becomes of a refusal beyond it."""

from __future__ import annotations

from random import Random

import pytest

from envlock.model.pins import Unsolvable
from envlock.solve import solver as solver_module
from envlock.solve.candidates import Shared
from envlock.solve.resolve import resolve
from envlock.solve.search import Found, Refuted, Search, Undecided
from envlock.solve.solver import Solver
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
    return solver, Search(solver.candidates, provider).run(solver.asks(), bound=bound)


def test_finds_the_newest():
    _, found = search(small("a", "d"))
    assert isinstance(found, Found)
    assert {name: found.mapping[name].version for name in "abd"} == {"a": "2.0", "b": "1.0", "d": "2.0"}


def test_blames_only_who_takes_part():
    _, refuted = search(small("d", "a", "c"))
    assert isinstance(refuted, Refuted)
    assert {ask.identifier for ask in refuted.asks} == {"a", "c"}
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
    search = Search(solver.candidates, solver.provider(solver.facts))
    refuted = search.run(solver.asks(), bound=1000)
    assert isinstance(refuted, Refuted)
    assert {ask.identifier for ask in refuted.asks} == {"d", "f"}
    assert search.decisions < 60


def test_gives_up_at_its_bound():
    assert isinstance(search(small("a", "d"), bound=0)[1], Undecided)


def test_a_refusal_beyond_the_bound_stands(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(solver_module, "_MAX_DECISIONS", 0)
    one = small("d", "a", "c")
    refusal = resolve(one.request, one.knowledge, one.catalogue)
    assert isinstance(refusal, Unsolvable)
    told = {reason.wants for reason in refusal.reasons if reason.asked_by == "you"}
    assert told == {"a", "c"}
