"""The dead ends of one search, kept for its refusal: which explains most, and what nothing ever meets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from envlock.solve.requirements import Level, Requirement
from envlock.solve.searching.blame import Blame, Demand
from envlock.solve.searching.outcomes import Refuted
from envlock.solve.searching.provider import Provider


class DeadEnds:
    """Collects the dead ends of a search."""

    def __init__(self, provider: Provider, demands: Mapping[str, Sequence[Demand]]) -> None:
        self._provider = provider
        self._demands = demands
        self._identifier = ""
        self._led: tuple[Demand, ...] = ()
        self._unmet: set[Requirement] = set()

    def remember(self, identifier: str) -> None:
        """Keep the latest dead end in which a fact took part, or the first, that of the best candidates."""
        led = self._leading_to(identifier)
        if not self._led or any(demand.requirement.fact for demand in led):
            self._identifier, self._led = identifier, led

    def note_unmet(self, requirements: Iterable[Requirement]) -> None:
        """Keep those of some requirements that nothing answers."""
        for requirement in requirements:
            alone = self._provider.answers(requirement.identifier, frozenset({requirement}))
            if requirement.level is Level.MUST and next(iter(alone), None) is None:
                self._unmet.add(requirement)

    def _leading_to(self, identifier: str) -> tuple[Demand, ...]:
        """Return the demands on a component, preceded by those that brought their dependents in."""
        led: list[Demand] = []
        seen: set[str] = set()
        level: Sequence[Demand] = self._demands.get(identifier, ())
        while level:
            led[:0] = level
            parents = dict.fromkeys(
                demand.parent for demand in level if demand.parent and demand.parent not in seen
            )
            seen.update(parents)
            level = [demand for name in parents for demand in self._demands.get(name, ())]
        return tuple(dict.fromkeys(led))

    def refuted(self, blame: Blame) -> Refuted:
        """Return the refusal that rests on wishes and facts, explained by these dead ends."""
        return Refuted(
            requirements=blame.requirements,
            facts=blame.facts,
            identifier=self._identifier,
            led=self._led,
            unmet=frozenset(self._unmet),
        )
