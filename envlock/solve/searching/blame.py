"""What an exact search blames for its dead ends: decisions, wishes and facts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import NamedTuple

from envlock.model.frozen import dataclass
from envlock.solve.asks import Ask, Candidate
from envlock.solve.searching.nogoods import Nogood

NOBODY = ""
"""The asker of the request's own asks."""


class Blame(NamedTuple):
    """What a dead end rests on."""

    pins: frozenset[str] = frozenset()
    asks: frozenset[Ask] = frozenset()
    facts: frozenset[str] = frozenset()

    @classmethod
    def known(cls, nogood: Nogood) -> Blame:
        """Return what rules out a candidate by what was proved of it."""
        return cls(frozenset(one.identifier for one in nogood.beside), nogood.asks, nogood.facts)

    def joined(self, other: Blame) -> Blame:
        """Return the union of both."""
        return Blame(self.pins | other.pins, self.asks | other.asks, self.facts | other.facts)

    def without(self, identifier: str) -> Blame:
        """Return all but one decision."""
        return self._replace(pins=self.pins - {identifier})


class Demand(NamedTuple):
    """An ask and the identifier whose decision brought it."""

    ask: Ask
    by: str

    @property
    def blame(self) -> Blame:
        """What the ask rests on."""
        pins = frozenset({self.by} - {NOBODY})
        facts = frozenset({self.ask.fact} - {""})
        return Blame(pins, frozenset() if self.by else frozenset({self.ask}), facts)


@dataclass(slots=True)
class Frame:
    """A decision: what is left to try, what ruled out the tries so far, and what the present one asked."""

    identifier: str
    rest: Iterator[Candidate]
    blame: Blame = Blame()
    asked: list[str] = field(default_factory=list)
    tried: Candidate | None = None
