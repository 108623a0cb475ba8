"""What an exact search has proved of single candidates, for the searches after it.

A nogood (R. Dechter, "Enhancement Schemes for Constraint Processing", Artificial Intelligence 41(3), 1990):
under some wishes and facts no answer has that candidate, whatever else is decided, or beside a few other
decisions. So twenty releases that pin one framework, which the node's driver refuses, cost one look at it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Mapping
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import NamedTuple

from envlock.solve.requirements import Candidate, Requirement

_MOST_BESIDE = 3
"""Other decisions that a nogood rests on at most: of many, hardly ever all are met again."""
_LATEST = 16
"""How many of those that rest on decisions are kept of one candidate: all are looked through each time."""


class Nogood(NamedTuple):
    """The wishes, identifiers of facts and other decisions under which a candidate is in no answer."""

    requirements: frozenset[Requirement]
    facts: frozenset[str]
    beside: frozenset[Candidate] = frozenset()


class Nogoods:
    """Nogoods of the candidates of one request, whichever part of its wishes and facts was searched."""

    def __init__(self) -> None:
        self._always: dict[Candidate, list[Nogood]] = {}
        self._beside: dict[Candidate, deque[Nogood]] = {}

    def add(self, candidate: Candidate, nogood: Nogood) -> None:
        """Keep what was proved of a candidate, if it may be met again."""
        if not nogood.beside:
            known = self._always.setdefault(candidate, [])
            if nogood not in known:
                known.append(nogood)
        elif len(nogood.beside) <= _MOST_BESIDE:
            self._beside.setdefault(candidate, deque(maxlen=_LATEST)).append(nogood)

    def of(
        self,
        candidate: Candidate,
        requirements: AbstractSet[Requirement],
        facts: Container[str],
        pins: Mapping[str, Candidate],
    ) -> Nogood | None:
        """Return what was proved of a candidate from no more than these wishes, facts and decisions."""
        for nogood in chain(self._always.get(candidate, ()), self._beside.get(candidate, ())):
            met = all(pins.get(other.identifier) == other for other in nogood.beside)
            if met and nogood.requirements <= requirements and all(name in facts for name in nogood.facts):
                return nogood
        return None
