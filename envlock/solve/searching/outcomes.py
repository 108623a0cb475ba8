"""What an attempt to answer a request came to."""

from __future__ import annotations

from collections.abc import Mapping

from envlock.model.frozen import dataclass
from envlock.solve.requirements import Candidate, Requirement
from envlock.solve.searching.blame import Demand


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """An answer: identifier -> candidate, and all requirements on each."""

    mapping: Mapping[str, Candidate]
    requirements: Mapping[str, tuple[Requirement, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refuted:
    """There is no answer.

    Attributes:
        requirements: wishes that, with the facts, already have none; few, but not always fewest.
        facts: identifiers of such facts.
        identifier: the dead end that tells most, a late one.
        led: the demands that led there, the request's own first.
        unmet: the requirements of all dead ends on the way that nothing meets, each on its own.
    """

    requirements: frozenset[Requirement]
    facts: frozenset[str]
    identifier: str
    led: tuple[Demand, ...]
    unmet: frozenset[Requirement] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Undecided:
    """The bound on decisions was reached."""
