"""What an exact search has proved of single candidates, for the searches after it.

A nogood (R. Dechter, "Enhancement Schemes for Constraint Processing", Artificial Intelligence 41(3), 1990):
under some wishes and facts no answer has that candidate, whatever else is decided, or beside a few other
decisions. So twenty releases that pin one framework, which the node's driver refuses, cost one look at it.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from envlock.solve.asks import Ask, Candidate

_MOST_BESIDE = 3
"""Other decisions that a nogood rests on at most: of many, hardly ever all are met again."""


class Nogood(NamedTuple):
    """The wishes, identifiers of facts and other decisions under which a candidate is in no answer."""

    asks: frozenset[Ask]
    facts: frozenset[str]
    beside: frozenset[Candidate] = frozenset()


class Nogoods:
    """Nogoods of the candidates of one request, whichever part of its wishes and facts was searched."""

    def __init__(self) -> None:
        self._known: dict[Candidate, list[Nogood]] = {}

    def add(self, candidate: Candidate, nogood: Nogood) -> None:
        """Keep what was proved of a candidate, if it may be met again; first what holds beside anything."""
        known = self._known.setdefault(candidate, [])
        if len(nogood.beside) <= _MOST_BESIDE and nogood not in known:
            known.insert(len(known) if nogood.beside else 0, nogood)

    def of(
        self,
        candidate: Candidate,
        asks: AbstractSet[Ask],
        facts: Container[str],
        pins: Mapping[str, Candidate],
    ) -> Nogood | None:
        """Return what was proved of a candidate from no more than these wishes, facts and decisions."""
        for nogood in self._known.get(candidate, ()):
            met = all(pins.get(one.identifier) == one for one in nogood.beside)
            if met and nogood.asks <= asks and all(name in facts for name in nogood.facts):
                return nogood
        return None
