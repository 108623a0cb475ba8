"""Attempts to answer parts of a request: resolvelib first, being fast; the exact search has the last word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from resolvelib import ResolutionImpossible, Resolver
from resolvelib.resolvers import ResolutionTooDeep

from envlock.model.catalogue import Catalogue
from envlock.model.component import Range
from envlock.model.errors import RefusedError
from envlock.model.knowledge import Fact, Knowledge, Severity
from envlock.model.pins import YOU, Solved
from envlock.solve.answer import AnswerReader
from envlock.solve.asks import Ask, Candidate, Mood
from envlock.solve.candidates import PYTHON, Candidates
from envlock.solve.dependencies import Dependencies, held_asks
from envlock.solve.provider import Provider, Rejections
from envlock.solve.request import Request, applies, exact_version
from envlock.solve.search import Found, Refuted, Search, Undecided

if TYPE_CHECKING:
    from resolvelib.resolvers import Result

_MAX_ROUNDS = 20_000
_MAX_DECISIONS = 20_000


class Solver:
    """What the attempts for one request share: candidates and what their metadata asks.

    Attributes:
        facts: the facts that can refuse, in the order of their names.
        rejected: candidate -> facts that it fell to in the last attempt.
        overruled: refusals of resolvelib's for which the exact search found an answer.
    """

    def __init__(self, request: Request, knowledge: Knowledge, catalogue: Catalogue) -> None:
        self.request = request
        self.knowledge = knowledge
        self.catalogue = catalogue
        self.candidates = Candidates(request, knowledge, catalogue)
        counting = (
            fact
            for fact in knowledge.facts
            if fact.severity is Severity.REFUSE and fact.id not in request.waived
        )
        self.facts = tuple(sorted(counting, key=lambda fact: fact.id))
        self.rejected: Mapping[Candidate, set[str]] = {}
        self.overruled = 0
        self._metadata_asks: dict[Candidate, tuple[Ask, ...]] = {}

    def asks(self) -> tuple[Ask, ...]:
        """What the request asks at the root."""
        python = Ask(identifier=PYTHON, mood=Mood.MUST, range=Range.versions(""), asked_by=YOU)
        return (python, *self._wishes(), *held_asks(self.request.held))

    def _wishes(self) -> Iterator[Ask]:
        for wish in self.request.wishes:
            if wish.requirement is not None and not applies(wish.requirement, self.request.interpreter):
                continue
            extras = sorted(wish.requirement.extras) if wish.requirement else []
            exact = wish.requirement is not None and bool(exact_version(wish.requirement.specifier))
            for identifier in (wish.component, *(f"{wish.component}[{extra}]" for extra in extras)):
                yield Ask(identifier=identifier, mood=Mood.MUST, range=wish.range, asked_by=YOU, exact=exact)

    def read(self, found: Found, learned: Iterable[Fact]) -> Solved:
        """The pins of a finished attempt over all facts."""
        dependencies = self._dependencies((*self.facts, *learned))
        reader = AnswerReader(
            found, self.request, self.knowledge, self.candidates, dependencies, self.rejected
        )
        return reader.solved()

    def _dependencies(self, facts: Iterable[Fact]) -> Dependencies:
        return Dependencies(self.request, self.knowledge, self.catalogue, facts, self._metadata_asks)

    def attempt(self, asks: Iterable[Ask], facts: Iterable[Fact]) -> Found | Refuted:
        """An answer to some of the asks under some of the facts, or the proof that there is none.

        Where the exact search reaches its bound, resolvelib's refusal stands, blamed on everything.

        Raises:
            RefusedError: neither came to an end within its bound.
        """
        wanted, counting = tuple(asks), tuple(facts)
        self.catalogue.prefetch(
            wish.requirement.name for wish in self.request.wishes if wish.requirement is not None
        )
        provider = Provider(self.candidates, self._dependencies(counting))
        rejections = Rejections(provider)
        self.rejected = rejections.facts
        try:
            return _found(Resolver(provider, rejections).resolve(wanted, max_rounds=_MAX_ROUNDS))
        except ResolutionImpossible as refusal:
            exact = Search(self.candidates, provider).run(wanted, bound=_MAX_DECISIONS)
            if isinstance(exact, Undecided):
                return _refuted(refusal, wanted, counting)
        except ResolutionTooDeep as error:
            exact = Search(self.candidates, provider).run(wanted, bound=_MAX_DECISIONS)
            if isinstance(exact, Undecided):
                raise _too_deep(error, provider) from error
        self.overruled += isinstance(exact, Found)
        return exact


def _found(result: Result[Ask, Candidate, str]) -> Found:
    asked = {
        name: tuple(information.requirement for information in result.criteria[name].information)
        for name in result.mapping
    }
    return Found(mapping=result.mapping, asked=asked)


def _refuted(
    refusal: ResolutionImpossible[Ask, Candidate], asks: Iterable[Ask], facts: Iterable[Fact]
) -> Refuted:
    chain = tuple(dict.fromkeys(information.requirement for information in refusal.causes))
    return Refuted(
        asks=frozenset(asks),
        facts=frozenset(fact.id for fact in facts),
        identifier=chain[0].identifier if chain else "",
        chain=chain,
    )


def _too_deep(error: ResolutionTooDeep, provider: Provider) -> RefusedError:
    busiest = ", ".join(name for name, _ in provider.conflicts.most_common(3))
    return RefusedError(
        "too-deep",
        f"no answer after {error.round_count} rounds",
        why=f"most conflicts were about {busiest}",
        hint="narrow the versions of these components",
    )
