"""What remedies are tried on: the knowledge base, the indexes, and solves of other requests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from envlock.model.frozen import dataclass
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.pins import Solved, Unsolvable
from envlock.model.published.catalogue import Catalogue
from envlock.solve.era import era_of_pins
from envlock.solve.request import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class RemedyContext:
    """What remedies are tried on.

    Attributes:
        knowledge: says what facts require of system components, and who owns them.
        catalogue: says what is published, and which C library wheels need.
        works: solves a request again; ``None`` where it has no answer.
        refuses: says what speaks against a request; ``None`` where it has an answer.
    """

    knowledge: Knowledge
    catalogue: Catalogue
    works: Callable[[Request], Solved | None]
    refuses: Callable[[Request], Unsolvable | None]

    def dated(self, request: Request) -> Request:
        """Return a request with the cut-off that its pins imply."""
        as_of = era_of_pins(request.dating, request.interpreter, self.knowledge, self.catalogue)
        return replace(request, as_of=as_of)
