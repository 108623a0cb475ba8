"""Which facts shaped an answer: without them another version would have been chosen."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice, takewhile

from envlock.model.knowing.knowledge import Knowledge
from envlock.solve.asking.dependencies import Dependencies
from envlock.solve.asks import FACT_PREFIX, LOCK, Ask, Candidate, Mood
from envlock.solve.offers.candidates import Candidates

_BROUGHT = 2
"""How many candidates of what a better one would bring along are examined for their own asks."""
_DEPTH = 3
"""How deep what they would bring along is examined: framework, its libraries, their system component."""


class ShapingFacts:
    """Finds the facts that shaped what was chosen.

    Args:
        present: what was chosen, by its identifier.
        asked: what was asked of each.
        knowledge: the knowledge base.
        candidates: what there was to choose from.
        dependencies: what candidates ask.
    """

    def __init__(
        self,
        present: Mapping[str, Candidate],
        asked: Mapping[str, Sequence[Ask]],
        knowledge: Knowledge,
        candidates: Candidates,
        dependencies: Dependencies,
    ) -> None:
        self._present = present
        self._asked = asked
        self._knowledge = knowledge
        self._candidates = candidates
        self._dependencies = dependencies

    def of(self, chosen: Candidate, asks: Sequence[Ask]) -> tuple[str, ...]:
        """Return the facts, by name, without which another version could have been chosen.

        Either the fact restricted the versions and is the only one to keep some out, or it stands between a
        better candidate, which all asks would allow, and the rest. Of such candidates the best and the
        nearest are examined; where several facts stand there, those are reported that stand before both.
        """
        name = chosen.identifier
        others = [ask for ask in asks if _lasting(ask)]
        facts = [ask for ask in asks if ask.fact and not self._passed_by(ask)]
        for ask in sorted(facts, key=lambda one: one.fact, reverse=True):
            if not self._keeps_out(ask, [*others, *(one for one in facts if one is not ask)], chosen):
                facts.remove(ask)
        asked = self._allowed(name, [*others, *facts], chosen)
        better = list(takewhile(lambda one: one != chosen, asked))
        looked_at = dict.fromkeys((*better[:1], *better[-1:]))
        between = [self._in_the_way(one) for one in self._expected(looked_at)]
        return tuple(sorted({*(ask.fact.partition("#")[0] for ask in facts), *_enough(between)}))

    def _passed_by(self, ask: Ask) -> bool:
        """Whether a fact that asked something does not apply to what else was chosen, maybe later."""
        fact = self._knowledge.facts.named(ask.fact.partition("#")[0])
        spoken_of = [one for one in fact.when if one.component != ask.identifier] if fact else []
        chosen = ((one, self._present[one.component]) for one in spoken_of if one.component in self._present)
        return any(not one.holds(there.version, there.via) for one, there in chosen)

    def _keeps_out(self, ask: Ask, others: Sequence[Ask], chosen: Candidate) -> bool:
        """Whether an ask is all that rules out some candidate."""
        name = chosen.identifier
        if ask.via is not None or chosen.file is None:
            return not all(map(ask.satisfied_by, self._allowed(name, others, chosen)))
        # A distribution has hundreds of releases that satisfy the ask: only those that do not are examined.
        opposite = replace(ask, mood=Mood.MUST if ask.mood is Mood.NOT else Mood.NOT)
        final_alone = not (chosen.is_pre_release or self._candidates.open_to_pre_releases(name, others))
        kept_out = self._candidates.answering(name, (opposite, *others))
        return any(not (final_alone and one.is_pre_release) for one in kept_out)

    def _allowed(self, name: str, asks: Sequence[Ask], chosen: Candidate) -> Iterator[Candidate]:
        """Yield candidates that asks allow, best first; no fact stands between a pre-release and the rest."""
        if chosen.is_pre_release:
            return self._candidates.answering(name, asks)
        return self._candidates.admitted(name, asks, best_first=True)

    def _in_the_way(self, candidate: Candidate) -> Mapping[str, bool]:
        """Return facts between a candidate and the rest; if nothing satisfies some of them, those alone."""
        found = dict(self._between(candidate, frozenset(), _DEPTH))
        return {name: sure for name, sure in found.items() if sure} or found

    def _between(self, candidate: Candidate, moved: frozenset[str], depth: int) -> Iterator[tuple[str, bool]]:
        """Yield facts between a candidate that was not chosen, with what it would bring along, and the rest.

        With each comes whether nothing satisfies it, whatever else is chosen.

        Args:
            candidate: what was not chosen.
            moved: components that would have another version with it: what they ask now does not count.
            depth: how deep what it would bring along is examined as well.
        """
        unmet = [ask for ask in self._dependencies.of(candidate) if not self._holds(ask)]
        if not unmet:
            return
        brought = {ask.identifier for ask in unmet if ask.mood is Mood.MUST and not ask.fact}
        moved = self._with_followers({*moved, candidate.identifier, *brought})
        for ask in unmet:
            rest = [one for one in self._asked.get(ask.identifier, ()) if self._stays(one, moved)]
            if ask.fact:
                if ask.identifier.startswith(FACT_PREFIX) or not any(True for _ in self._open(ask, rest)):
                    yield ask.fact.partition("#")[0], not self._satisfiable(ask)
            elif depth and ask.mood is Mood.MUST:
                # No fact counts here: those that stand in between are what is being searched for.
                opened = self._open(ask, [one for one in rest if not one.fact])
                for one in self._expected(islice(opened, _BROUGHT)):
                    yield from self._between(one, moved, depth - 1)

    def _with_followers(self, moved: Collection[str]) -> frozenset[str]:
        """Return components, and those that are there for their sake alone."""
        found = set(moved)
        while True:
            more = {name for name in self._askers.keys() - found if self._askers[name] <= found}
            if not more:
                return frozenset(found)
            found |= more

    @cached_property
    def _askers(self) -> Mapping[str, frozenset[str]]:
        """Map what was chosen to those who ask that it be there, where somebody does."""
        named = {str(one): name for name, one in self._present.items()}
        askers = {
            name: frozenset(
                named.get(ask.asked_by, ask.asked_by)
                for ask in self._asked.get(name, ())
                if ask.mood is Mood.MUST and not ask.fact
            )
            for name in self._present
        }
        return {name: some for name, some in askers.items() if some}

    def _satisfiable(self, ask: Ask) -> bool:
        """Whether anything satisfies an ask, for a fact by one of its ways, whatever else is chosen."""
        if ask.identifier.startswith(FACT_PREFIX):
            ways = self._dependencies.facts.ways(ask.fact)
            return any(all(map(self._satisfiable, way.asks)) for way in ways)
        return any(True for _ in self._open(ask))

    def _stays(self, ask: Ask, moved: Collection[str]) -> bool:
        """Whether an ask is neither a moved component's, nor a fact's about one, nor the lock's."""
        if ask.fact:
            fact = self._knowledge.facts.named(ask.fact.partition("#")[0])
            return fact is None or all(one.component not in moved for one in fact.when)
        return ask.asked_by not in {LOCK, *(str(self._present.get(name)) for name in moved)}

    def _open(self, ask: Ask, rest: Iterable[Ask] = ()) -> Iterator[Candidate]:
        """Yield candidates that satisfy an ask and the rest."""
        return self._candidates.admitted(ask.identifier, (ask, *rest), best_first=True)

    def _expected(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Return candidates after announcing that their asks are about to be read one after the other."""
        found = list(candidates)
        for candidate in found:
            self._dependencies.metadata.expect(candidate)
        return found

    def _holds(self, ask: Ask) -> bool:
        """Whether what was chosen satisfies an ask, for a fact by one of its ways."""
        if ask.identifier.startswith(FACT_PREFIX):
            ways = self._dependencies.facts.ways(ask.fact)
            return any(all(self._holds(inner) for inner in way.asks) for way in ways)
        name = ask.identifier
        there = self._candidates.of(name)[0] if self._candidates.fixed(name) else None
        absent = Candidate(identifier=name, versions=())
        return ask.satisfied_by(self._present.get(name) or there or absent)


def _enough(ways: Iterable[Mapping[str, object]]) -> list[str]:
    """Return names such that every non-empty way has one: those in most ways first, else the first."""
    left, told = [way for way in ways if way], list[str]()
    while left:
        names = dict.fromkeys(name for way in left for name in way)
        told.append(max(names, key=lambda name: sum(name in way for way in left)))
        left = [way for way in left if told[-1] not in way]
    return told


def _lasting(ask: Ask) -> bool:
    """Whether an ask is neither a fact's nor there only to keep what was locked before."""
    return not ask.fact and ask.asked_by != LOCK
