"""Solves changed requests again, around what files and code say against their answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from envlock.judging.stand_ins import instead_of_colliding
from envlock.model.knowing.fact import Fact
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.pins import Solved
from envlock.solve.request import Request

_MAX_TRIALS = 5
"""How often one change is solved; mostly all is learned with the first changes."""


class ObjectionSolver:
    """Solves changed requests; what is learned from one answer counts for all that follow.

    Args:
        knowledge: the knowledge base.
        answer: solves a request by a knowledge base; ``None`` where it has no answer.
        objections: what files and code say against an answer, as facts to solve around.
    """

    def __init__(
        self,
        knowledge: Knowledge,
        answer: Callable[[Request, Knowledge], Solved | None],
        objections: Callable[[Solved], Sequence[Fact]],
    ) -> None:
        self._stated = knowledge
        self.knowledge = knowledge
        """The knowledge base with what was learned so far."""
        self._answer = answer
        self._objections = objections

    def __call__(self, request: Request) -> Solved | None:
        """Return an answer against which nothing speaks; ``None`` where none is found.

        Of two builds of one library that only dependencies require, one stands in for the other.
        What is learned is about whole series of releases, of which the one that would do may be an exception:
        where that leaves no answer, the one that nothing was learned for is looked at as well.
        """
        for _ in range(_MAX_TRIALS):
            solved = self._answer(request, self.knowledge)
            if solved is None:
                break
            against = self._objections(solved)
            if not against:
                return solved
            met = ([condition.component for condition in fact.when] for fact in against)
            instead = instead_of_colliding(met, request.applying, request.stand_ins, self._stated)
            if instead:
                request = replace(request, stand_ins={**request.stand_ins, **instead})
                continue
            self.knowledge = replace(self.knowledge, facts=self.knowledge.facts.plus(against))
        plain = None if self.knowledge is self._stated else self._answer(request, self._stated)
        return None if plain is None or self._objections(plain) else plain
