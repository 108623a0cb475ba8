"""The dead ends of one search, kept to be told: which of them tells most, and what nothing ever answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from envlock.solve.asks import Ask, Mood
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
        self._unmet: set[Ask] = set()

    def remember(self, identifier: str) -> None:
        """Keep the latest dead end in which a fact took part, or the first, that of the best candidates."""
        led = self._leading_to(identifier)
        if not self._led or any(demand.ask.fact for demand in led):
            self._identifier, self._led = identifier, led

    def note_unmet(self, asks: Iterable[Ask]) -> None:
        """Keep those of some asks that nothing answers."""
        for ask in asks:
            alone = self._provider.answers(ask.identifier, frozenset({ask}))
            if ask.mood is Mood.MUST and next(iter(alone), None) is None:
                self._unmet.add(ask)

    def _leading_to(self, identifier: str) -> tuple[Demand, ...]:
        """Return the demands on a component, preceded by those that brought their askers in."""
        led: list[Demand] = []
        seen: set[str] = set()
        level: Sequence[Demand] = self._demands.get(identifier, ())
        while level:
            led[:0] = level
            parents = dict.fromkeys(demand.by for demand in level if demand.by and demand.by not in seen)
            seen.update(parents)
            level = [demand for name in parents for demand in self._demands.get(name, ())]
        return tuple(dict.fromkeys(led))

    def refuted(self, blame: Blame) -> Refuted:
        """Return the refusal that rests on wishes and facts, told by these dead ends."""
        return Refuted(
            asks=blame.asks,
            facts=blame.facts,
            identifier=self._identifier,
            led=self._led,
            unmet=frozenset(self._unmet),
        )
