"""What an exact search has proved of single candidates, for the searches after it.

A nogood (R. Dechter, "Enhancement Schemes for Constraint Processing", Artificial Intelligence 41(3), 1990) of
one decision: under some wishes and facts no answer has that candidate, whatever else is decided. So twenty
releases that pin one framework, which the node's driver refuses, cost one look at it and not twenty.
"""

from __future__ import annotations

from collections.abc import Container
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from envlock.solve.asks import Ask, Candidate


class Nogood(NamedTuple):
    """The wishes, and the identifiers of facts, under which a candidate is in no answer."""

    asks: frozenset[Ask]
    facts: frozenset[str]


class Nogoods:
    """Nogoods of the candidates of one request, whichever part of its wishes and facts was searched."""

    def __init__(self) -> None:
        self._known: dict[Candidate, list[Nogood]] = {}

    def add(self, candidate: Candidate, nogood: Nogood) -> None:
        """Keep what was proved of a candidate."""
        known = self._known.setdefault(candidate, [])
        if nogood not in known:
            known.append(nogood)

    def of(self, candidate: Candidate, asks: AbstractSet[Ask], facts: Container[str]) -> Nogood | None:
        """Return what was proved of a candidate from no more than these wishes and facts."""
        for nogood in self._known.get(candidate, ()):
            if nogood.asks <= asks and all(name in facts for name in nogood.facts):
                return nogood
        return None
