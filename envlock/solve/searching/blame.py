"""What an exact search blames for its dead ends: decisions, wishes and facts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import NamedTuple

from envlock.model.frozen import dataclass
from envlock.solve.requirements import Candidate, Requirement
from envlock.solve.searching.nogoods import Nogood

NOBODY = ""
"""The parent of the request's own requirements."""


class Blame(NamedTuple):
    """What a dead end rests on."""

    pins: frozenset[str] = frozenset()
    requirements: frozenset[Requirement] = frozenset()
    facts: frozenset[str] = frozenset()

    @classmethod
    def known(cls, nogood: Nogood) -> Blame:
        """Return what rules out a candidate by what was proved of it."""
        return cls(
            frozenset(candidate.identifier for candidate in nogood.beside), nogood.requirements, nogood.facts
        )

    def joined(self, other: Blame) -> Blame:
        """Return the union of both."""
        return Blame(self.pins | other.pins, self.requirements | other.requirements, self.facts | other.facts)

    def without(self, identifier: str) -> Blame:
        """Return all but one decision."""
        return self._replace(pins=self.pins - {identifier})


class Demand(NamedTuple):
    """A requirement and the identifier whose decision brought it."""

    requirement: Requirement
    parent: str

    @property
    def blame(self) -> Blame:
        """What the requirement rests on."""
        pins = frozenset({self.parent} - {NOBODY})
        facts = frozenset({self.requirement.fact} - {""})
        return Blame(pins, frozenset() if self.parent else frozenset({self.requirement}), facts)


@dataclass(slots=True)
class Frame:
    """A decision: what is left to try, what ruled out the tries so far, and what the present one required."""

    identifier: str
    rest: Iterator[Candidate]
    blame: Blame = Blame()
    required: list[str] = field(default_factory=list)
    tried: Candidate | None = None
