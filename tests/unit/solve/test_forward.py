"""The straight way leads where resolvelib gets, or gives up."""

from __future__ import annotations

from random import Random

from resolvelib.resolvers import Resolution

from envlock.solve.forward import Forward
from envlock.solve.provider import Rejections
from envlock.solve.shared import Shared
from envlock.solve.solver import Solver, _confirmed
from tests.property.universes import universe


def test_answers_are_those_of_resolvelib() -> None:
    answered = 0
    for seed in range(150):
        one = universe(Random(seed))
        solver = Solver(one.request, one.knowledge, one.catalogue, Shared())
        straight = solver.provider(solver.facts)
        found = Forward(straight).run(solver.asks())
        if found is None:
            continue
        provider = solver.provider(solver.facts)
        pins = Resolution(provider, Rejections(provider)).resolve(solver.asks(), max_rounds=1000).mapping
        ours = _confirmed(found, solver.asks(), straight)
        theirs = _confirmed(pins, solver.asks(), provider)
        assert (ours and ours.mapping) == (theirs and theirs.mapping), seed
        answered += 1
    assert answered > 50
