"""Which facts shaped an answer: without them another version would have been chosen."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice, takewhile

from envlock.model.knowing.knowledge import Knowledge
from envlock.solve.dependencies.of_candidates import Dependencies
from envlock.solve.offers.candidates import Candidates
from envlock.solve.requirements import FACT_PREFIX, LOCK, Candidate, Level, Requirement

_BROUGHT = 2
"""How many candidates of what a better one would bring along are examined for their own requirements."""
_DEPTH = 3
"""How deep what they would bring along is examined: framework, its libraries, their system component."""


class ShapingFacts:
    """Finds the facts that shaped what was chosen.

    Args:
        present: what was chosen, by its identifier.
        requirements: all requirements on each.
        knowledge: the knowledge base.
        candidates: what there was to choose from.
        dependencies: what candidates require.
    """

    def __init__(
        self,
        present: Mapping[str, Candidate],
        requirements: Mapping[str, Sequence[Requirement]],
        knowledge: Knowledge,
        candidates: Candidates,
        dependencies: Dependencies,
    ) -> None:
        self._present = present
        self._requirements = requirements
        self._knowledge = knowledge
        self._candidates = candidates
        self._dependencies = dependencies

    def of(self, chosen: Candidate, requirements: Sequence[Requirement]) -> tuple[str, ...]:
        """Return the facts, by name, without which another version could have been chosen.

        Either the fact restricted the versions and is the only one to keep some out, or it stands between a
        better candidate, which all requirements would allow, and the rest. Of such candidates the best and
        the nearest are examined; where several facts stand there, those are reported that stand before both.
        """
        name = chosen.identifier
        others = [requirement for requirement in requirements if _lasting(requirement)]
        facts = [asked for asked in requirements if asked.fact and not self._passed_by(asked)]
        for requirement in sorted(facts, key=lambda fact: fact.fact, reverse=True):
            if not self._keeps_out(
                requirement, [*others, *(fact for fact in facts if fact is not requirement)], chosen
            ):
                facts.remove(requirement)
        allowed = self._allowed(name, [*others, *facts], chosen)
        better = list(takewhile(lambda candidate: candidate != chosen, allowed))
        looked_at = dict.fromkeys((*better[:1], *better[-1:]))
        between = [self._in_the_way(candidate) for candidate in self._expected(looked_at)]
        return tuple(sorted({*(requirement.fact_name for requirement in facts), *_enough(between)}))

    def _passed_by(self, requirement: Requirement) -> bool:
        """Whether a fact that required something does not apply to what else was chosen, maybe later."""
        fact = self._knowledge.facts.named(requirement.fact_name)
        spoken_of = (
            [condition for condition in fact.when if condition.component != requirement.identifier]
            if fact
            else []
        )
        chosen = (
            (part, self._present[part.component]) for part in spoken_of if part.component in self._present
        )
        return any(not part.holds(there.version, there.via) for part, there in chosen)

    def _keeps_out(self, requirement: Requirement, others: Sequence[Requirement], chosen: Candidate) -> bool:
        """Whether a requirement is all that rules out some candidate."""
        name = chosen.identifier
        if requirement.via is not None or chosen.file is None:
            return not all(map(requirement.satisfied_by, self._allowed(name, others, chosen)))
        # Hundreds of releases may satisfy the requirement: only those that do not are examined.
        opposite = replace(
            requirement, level=Level.MUST if requirement.level is Level.MUST_NOT else Level.MUST_NOT
        )
        final_alone = not (chosen.is_pre_release or self._candidates.open_to_pre_releases(name, others))
        kept_out = self._candidates.answering(name, (opposite, *others))
        return any(not (final_alone and candidate.is_pre_release) for candidate in kept_out)

    def _allowed(
        self, name: str, requirements: Sequence[Requirement], chosen: Candidate
    ) -> Iterator[Candidate]:
        """Yield candidates that requirements allow, best first; no fact parts pre-releases from the rest."""
        if chosen.is_pre_release:
            return self._candidates.answering(name, requirements)
        return self._candidates.admitted(name, requirements, best_first=True)

    def _in_the_way(self, candidate: Candidate) -> Mapping[str, bool]:
        """Return facts between a candidate and the rest; if nothing satisfies some of them, those alone."""
        found = dict(self._between(candidate, frozenset(), _DEPTH))
        return {name: sure for name, sure in found.items() if sure} or found

    def _between(self, candidate: Candidate, moved: frozenset[str], depth: int) -> Iterator[tuple[str, bool]]:
        """Yield facts between a candidate that was not chosen, with what it would bring along, and the rest.

        With each comes whether nothing satisfies it, whatever else is chosen.

        Args:
            candidate: what was not chosen.
            moved: components that would have another version with it: what they require now does not count.
            depth: how deep what it would bring along is examined as well.
        """
        unmet = [need for need in self._dependencies.of(candidate) if not self._holds(need)]
        if not unmet:
            return
        brought = {need.identifier for need in unmet if need.level is Level.MUST and not need.fact}
        moved = self._with_followers({*moved, candidate.identifier, *brought})
        for requirement in unmet:
            rest = [
                other
                for other in self._requirements.get(requirement.identifier, ())
                if self._stays(other, moved)
            ]
            if requirement.fact:
                if requirement.identifier.startswith(FACT_PREFIX) or not any(
                    True for _ in self._open(requirement, rest)
                ):
                    yield requirement.fact_name, not self._satisfiable(requirement)
            elif depth and requirement.level is Level.MUST:
                # No fact counts here: those that stand in between are what is being searched for.
                opened = self._open(requirement, [other for other in rest if not other.fact])
                for instead in self._expected(islice(opened, _BROUGHT)):
                    yield from self._between(instead, moved, depth - 1)

    def _with_followers(self, moved: Collection[str]) -> frozenset[str]:
        """Return components, and those that are there for their sake alone."""
        found = set(moved)
        while True:
            more = {name for name in self._dependents.keys() - found if self._dependents[name] <= found}
            if not more:
                return frozenset(found)
            found |= more

    @cached_property
    def _dependents(self) -> Mapping[str, frozenset[str]]:
        """Map what was chosen to what requires it, where anything does."""
        named = {str(candidate): name for name, candidate in self._present.items()}
        dependents = {
            name: frozenset(
                named.get(requirement.asked_by, requirement.asked_by)
                for requirement in self._requirements.get(name, ())
                if requirement.level is Level.MUST and not requirement.fact
            )
            for name in self._present
        }
        return {name: some for name, some in dependents.items() if some}

    def _satisfiable(self, requirement: Requirement) -> bool:
        """Whether anything satisfies a requirement, a fact by one of its ways, whatever else is chosen."""
        if requirement.identifier.startswith(FACT_PREFIX):
            ways = self._dependencies.facts.ways(requirement.fact)
            return any(all(map(self._satisfiable, way.requirements)) for way in ways)
        return any(True for _ in self._open(requirement))

    def _stays(self, requirement: Requirement, moved: Collection[str]) -> bool:
        """Whether a requirement is neither a moved component's, nor a fact's about one, nor the lock's."""
        if requirement.fact:
            fact = self._knowledge.facts.named(requirement.fact_name)
            return fact is None or all(condition.component not in moved for condition in fact.when)
        return requirement.asked_by not in {LOCK, *(str(self._present.get(name)) for name in moved)}

    def _open(self, requirement: Requirement, rest: Iterable[Requirement] = ()) -> Iterator[Candidate]:
        """Yield candidates that satisfy a requirement and the rest."""
        return self._candidates.admitted(requirement.identifier, (requirement, *rest), best_first=True)

    def _expected(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Return candidates after announcing that their requirements are about to be read in turn."""
        found = list(candidates)
        for candidate in found:
            self._dependencies.metadata.expect(candidate)
        return found

    def _holds(self, requirement: Requirement) -> bool:
        """Whether what was chosen satisfies a requirement, for a fact by one of its ways."""
        if requirement.identifier.startswith(FACT_PREFIX):
            ways = self._dependencies.facts.ways(requirement.fact)
            return any(all(self._holds(inner) for inner in way.requirements) for way in ways)
        name = requirement.identifier
        there = self._candidates.of(name)[0] if self._candidates.fixed(name) else None
        absent = Candidate(identifier=name, versions=())
        return requirement.satisfied_by(self._present.get(name) or there or absent)


def _enough(ways: Iterable[Mapping[str, object]]) -> list[str]:
    """Return names such that every non-empty way has one: those in most ways first, else the first."""
    left, names_chosen = [way for way in ways if way], list[str]()
    while left:
        names = dict.fromkeys(name for way in left for name in way)
        names_chosen.append(max(names, key=lambda name: sum(name in way for way in left)))
        left = [way for way in left if names_chosen[-1] not in way]
    return names_chosen


def _lasting(requirement: Requirement) -> bool:
    """Whether a requirement is neither a fact's nor there only to keep what was locked before."""
    return not requirement.fact and requirement.asked_by != LOCK
