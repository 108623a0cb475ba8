"""The straight way leads where resolvelib gets, goes back where that is plain, or gives up."""

from __future__ import annotations

from random import Random

from resolvelib.resolvers import Resolution

from envlock.solve.forward import Forward
from envlock.solve.provider import Provider, Rejections
from envlock.solve.shared import Shared
from envlock.solve.solver import Solver, _confirmed
from tests.property.universes import COMPONENTS, Universe, universe


def test_answers_are_those_of_resolvelib_where_nothing_is_taken_back() -> None:
    answered = 0
    for seed in range(150):
        solver, straight, way = straight_on(universe(Random(seed)))
        found = way.run(solver.asks())
        if found is None or way.taken_back:
            continue
        provider = solver.provider(solver.facts)
        pins = Resolution(provider, Rejections(provider)).resolve(solver.asks(), max_rounds=1000).mapping
        ours = _confirmed(found, solver.asks(), straight)
        theirs = _confirmed(pins, solver.asks(), provider)
        assert (ours and ours.mapping) == (theirs and theirs.mapping), seed
        answered += 1
    assert answered > 50


def test_what_is_taken_back_leads_to_answers() -> None:
    found = 0
    for seed in range(300):
        solver, provider, way = straight_on(universe(Random(seed)))
        pins = way.run(solver.asks())
        if pins is not None and way.taken_back:
            found += 1
            assert _confirmed(pins, solver.asks(), provider) is not None, seed
    assert found > 30


def test_a_parent_gives_way_whose_child_cannot_be_had() -> None:
    """The newest b wants a c that wants a newer a than the user does."""
    index = {
        "a": {"1.0": [], "2.0": []},
        "b": {"1.0": ["c<2"], "2.0": ["c>=2"]},
        "c": {"1.0": ["a"], "2.0": ["a>=2"]},
    }
    assert way_through(index, ["a<2", "b"]) == ({"a": "1.0", "b": "1.0", "c": "1.0"}, 1)


def test_a_version_gives_way_to_what_a_later_component_wants() -> None:
    index = {"a": {"1.0": [], "2.0": []}, "b": {"1.0": ["a<2"]}}
    assert way_through(index, ["a", "b"]) == ({"a": "1.0", "b": "1.0"}, 1)


def way_through(index: dict[str, dict[str, list[str]]], requires: list[str]) -> tuple[dict[str, str], int]:
    """The versions that are found, and how many decisions were taken back on the way."""
    releases = {
        name: {version: {"requires": asks} for version, asks in one.items()} for name, one in index.items()
    }
    nothing = {"provider": [], "need": [], "flavour": [], "fact": [], "build": []}
    knowledge = {"component": COMPONENTS, **nothing}
    one = Universe.of(
        {"index": releases, "target": {}, "group": {"requires": requires}, "knowledge": knowledge}
    )
    solver, provider, way = straight_on(one)
    pins = way.run(solver.asks())
    assert pins is not None
    assert _confirmed(pins, solver.asks(), provider) is not None
    return {name: one.version for name, one in pins.items() if one.file}, way.taken_back


def straight_on(one: Universe) -> tuple[Solver, Provider, Forward]:
    """A way forward through a universe, not yet gone."""
    solver = Solver(one.request, one.knowledge, one.catalogue, Shared())
    provider = solver.provider(solver.facts)
    return solver, provider, Forward(provider)
