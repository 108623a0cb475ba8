"""What an attempt to answer a request came to."""

from __future__ import annotations

from collections.abc import Mapping

from envlock.model.frozen import dataclass
from envlock.solve.asks import Ask, Candidate
from envlock.solve.searching.blame import Demand


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """An answer: identifier -> candidate, and all that was asked of each."""

    mapping: Mapping[str, Candidate]
    asked: Mapping[str, tuple[Ask, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refuted:
    """There is no answer.

    Attributes:
        asks: wishes that, with the facts, already have none; few, but not always fewest.
        facts: identifiers of such facts.
        identifier: the dead end that tells most, a late one.
        led: the demands that led there, the request's own first.
        unmet: the asks of all dead ends on the way that nothing answers, each on its own.
    """

    asks: frozenset[Ask]
    facts: frozenset[str]
    identifier: str
    led: tuple[Demand, ...]
    unmet: frozenset[Ask] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Undecided:
    """The bound on decisions was reached."""
