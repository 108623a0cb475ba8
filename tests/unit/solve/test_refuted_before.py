"""Which changes of a refuted request need no solve: those that leave what it was refuted for as it is."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from random import Random

from envlock.solve.offers.shared import Shared
from envlock.solve.refusing.refuted_before import RefutedBefore
from envlock.solve.request import Request
from envlock.solve.searching.outcomes import Refuted
from envlock.solve.searching.solver import Solver
from tests.property.universes import Universe, universe

INDEX = {
    "a": {"1.0": {"requires": ["b<2"]}},
    "b": {"1.0": {}, "2.0": {}},
    "c": {"1.0": {"requires": ["b>=2"]}},
    "d": {"1.0": {}, "2.0": {}},
}


def asking(*requires: str) -> Universe:
    return universe(Random(0)).changed(
        index=INDEX, group={"requires": list(requires)}, need=[], fact=[], build=[], flavour=[]
    )


def ruled_out(one: Universe, request: Request) -> bool:
    """Whether a request is ruled out once ``a`` and ``c``, beside ``d==1.0``, have been refuted."""
    refuted = asking("a", "c", "d==1.0")
    solver = Solver(refuted.request, refuted.knowledge, refuted.catalogue, Shared())
    outcome = solver.attempt(solver.requirements(), solver.facts)
    assert isinstance(outcome, Refuted)
    before = RefutedBefore()
    before.add(refuted.request, outcome.requirements)
    return before.rules_out(Solver(request, one.knowledge, one.catalogue, Shared()))


def test_a_change_of_what_nobody_blamed_is_ruled_out():
    one = asking("a", "c", "d==2.0")
    assert ruled_out(one, one.request)


def test_a_change_of_what_was_blamed_is_tried():
    for one in (asking("a", "d==1.0"), asking("a", "c>1", "d==1.0")):
        assert not ruled_out(one, one.request)


def test_other_surroundings_are_tried():
    one = asking("a", "c", "d==2.0")
    assert not ruled_out(one, replace(one.request, as_of=dt.date(2020, 1, 1)))
