"""What another answer costs beside the one there is."""

from __future__ import annotations

from envlock.app.solving.dearer import dearer
from envlock.model.locked.pins import DistributionPin, Solved
from tests.locks import distribution
from tests.memory import interpreter


def answer(*pins: DistributionPin) -> Solved:
    return Solved(interpreter=interpreter("3.11.7"), distributions=pins, systems=(), as_of=None)


HERE = answer(distribution("asked", "2.0"), distribution("brought", "2.0", asked_by=("asked",)))


def test_another_release_of_what_is_only_brought_costs_nothing() -> None:
    there = answer(distribution("asked", "2.0"), distribution("brought", "1.0", asked_by=("asked",)))
    assert dearer(there, HERE, frozenset()) == ""


def test_a_wish_costs_its_release_or_that_it_is_not_there_unless_it_is_free() -> None:
    assert dearer(answer(distribution("asked", "1.0")), HERE, frozenset()) == "asked 1.0"
    assert dearer(answer(distribution("instead", "2.0")), HERE, frozenset()) == "doing without asked"
    assert dearer(answer(distribution("asked", "1.0")), HERE, frozenset({"asked"})) == ""


def test_more_builds_cost_what_is_built() -> None:
    built = distribution("brought", "1.0", asked_by=("asked",), against={})
    there = answer(distribution("asked", "1.0"), built)
    assert dearer(there, HERE, frozenset()) == "asked 1.0 and building brought 1.0"
    assert dearer(answer(distribution("asked", "2.0")), there, frozenset({"asked"})) == ""
