"""Reading pins, with where each comes from, out of a finished solve."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, takewhile
from types import MappingProxyType

from envlock.model.component import PYTHON
from envlock.model.knowing.knowledge import Knowledge, index_name
from envlock.model.locked.pins import (
    CONSTRAINT,
    EXCLUSION,
    NODE,
    YOU,
    DistributionPin,
    Origin,
    Solved,
    SystemPin,
)
from envlock.solve.asks import FACT_PREFIX, LOCK, Ask, Candidate, Mood, split_extra
from envlock.solve.candidates import Candidates
from envlock.solve.dependencies import Dependencies
from envlock.solve.request import Request
from envlock.solve.search import Found

_BETTER = 3
"""How many better candidates are asked why they were not chosen."""
_DEPTH = 3
"""How far what they would bring along is asked as well: framework, its libraries, their system component."""


class AnswerReader:
    """Turns the mapping that was found into pins, in the order of their names, without build plans."""

    def __init__(
        self,
        found: Found,
        request: Request,
        knowledge: Knowledge,
        candidates: Candidates,
        dependencies: Dependencies,
    ) -> None:
        self._request = request
        self._knowledge = knowledge
        self._candidates = candidates
        self._dependencies = dependencies
        self._present = {key: one for key, one in found.mapping.items() if not one.absent}
        self._asked = found.asked
        self._parts: dict[str, list[str]] = {}  # a distribution, and it with each of its extras
        for key in self._present:
            self._parts.setdefault(split_extra(key)[0], []).append(key)

    def solved(self) -> Solved:
        """All pins."""
        systems = self._knowledge.systems
        keys = sorted(self._present)
        return Solved(
            interpreter=self._request.interpreter,
            distributions=tuple(
                self._distribution(key) for key in keys if self._present[key].file and "[" not in key
            ),
            systems=tuple(
                self._system(key)
                for key in keys
                if (key in systems and not systems[key].members and key != PYTHON and self._asked_for(key))
                or self._brought(key)
            ),
            as_of=self._request.as_of,
        )

    def _distribution(self, name: str) -> DistributionPin:
        candidate = self._present[name]
        assert candidate.file is not None  # noqa: S101 - the caller looked
        own = self._parts[name]
        asks = [ask for key in own for ask in self._asked[key]]
        needed = {
            split_extra(ask.identifier)[0]
            for key in own
            for ask in self._dependencies.of(self._present[key])
            if ask.mood is Mood.MUST and ask.identifier in self._present and self._is_file(ask.identifier)
        }
        return DistributionPin(
            component=name,
            name=index_name(name),
            version=candidate.version,
            file=candidate.file,
            requires_python=candidate.file.requires_python,
            extras=tuple(sorted(extra for key in own if (extra := split_extra(key)[1]))),
            dependencies=tuple(sorted(needed - {name})),
            asked_by=self._askers(name, asks),
            facts=tuple(sorted(set(self._shaping(candidate, asks)))),
            build=None,
        )

    def _system(self, name: str) -> SystemPin:
        candidate = self._present[name]
        offer, provider = candidate.offer, candidate.provider
        system = self._knowledge.systems.get(name)
        origin = Origin.NODE if system is not None and system.fixed else Origin.SITE
        if system is not None and offer is None and candidate.version in system.choices:
            origin = Origin.CHOICE
        if provider is not None:
            return SystemPin(
                component=name,
                version=candidate.version,
                origin=Origin.INDEX,
                prefix="",
                distribution=provider.distribution,
                modules=(),
                variables=provider.variables,
                asked_by=self._askers(name, self._asked[name]),
                facts=tuple(sorted(set(self._shaping(candidate, self._asked[name])))),
            )
        return SystemPin(
            component=name,
            version=candidate.version,
            origin=origin,
            prefix=candidate.prefix,
            distribution="",
            modules=offer.modules if offer else (),
            variables=offer.variables if offer else MappingProxyType({}),
            asked_by=self._askers(name, self._asked[name]),
            facts=tuple(sorted(set(self._shaping(candidate, self._asked[name])))),
        )

    def _askers(self, name: str, asks: Iterable[Ask]) -> tuple[str, ...]:
        """Who asked that it be there, the user first; behind a virtual component, who asked for that."""
        askers: set[str] = set()
        for ask in asks:
            by = split_extra(ask.asked_by.split(" ")[0])[0]
            system = self._knowledge.systems.get(by)
            if ask.mood is not Mood.MUST or by == name:
                continue
            if system is not None and system.members:
                askers.update(
                    self._askers(by, (a for a in self._asked[by] if a.fact or not self._member(by, a)))
                )
            else:
                askers.add(ask.asked_by)
        return tuple(sorted(askers, key=lambda asker: (asker != YOU, asker)))

    def _member(self, virtual: str, ask: Ask) -> bool:
        return ask.asked_by.split(" ")[0] in self._knowledge.systems[virtual].members

    def _brought(self, key: str) -> bool:
        """Whether it is a distribution that the site's modules bring."""
        candidate = self._present[key]
        return candidate.offer is not None and candidate.offer in self._request.target.distributions

    def _asked_for(self, name: str) -> bool:
        """Whether anything speaks of a system component, or it merely is there or comes with another."""
        silent = {NODE, LOCK, CONSTRAINT, EXCLUSION}
        silent |= {str(one) for one in self._present.values() if one.offer and name in one.offer.properties}
        return any(ask.asked_by not in silent for ask in self._asked[name])

    def _is_file(self, identifier: str) -> bool:
        return self._present[identifier].file is not None

    def _shaping(self, chosen: Candidate, asks: Sequence[Ask]) -> Iterator[str]:
        """Facts without which another version could have been chosen.

        Either the fact asked for the versions, and what it keeps out no other does, or it stands between a
        better candidate and the rest.
        """
        name = chosen.identifier
        others = [ask for ask in asks if _lasting(ask)]
        facts = [ask for ask in asks if ask.fact and not self._passed_by(ask)]
        for ask in sorted(facts, key=lambda one: one.fact, reverse=True):
            if not self._keeps_out(ask, [*others, *(one for one in facts if one is not ask)], chosen):
                facts.remove(ask)
        yield from (ask.fact.partition("#")[0] for ask in facts)
        better = list(takewhile(lambda one: one != chosen, self._allowed(name, others, chosen)))
        for candidate in self._expected(better[:_BETTER]):
            yield from self._between(candidate, _DEPTH)

    def _passed_by(self, ask: Ask) -> bool:
        """Whether a fact that asked something does not speak of what else was chosen, maybe later."""
        fact = self._knowledge.facts.named(ask.fact.partition("#")[0])
        spoken_of = [one for one in fact.when if one.component != ask.identifier] if fact else []
        chosen = ((one, self._present[one.component]) for one in spoken_of if one.component in self._present)
        return any(not one.holds(there.version, there.via) for one, there in chosen)

    def _keeps_out(self, ask: Ask, others: Sequence[Ask], chosen: Candidate) -> bool:
        """Whether an ask is all that stands against some candidate."""
        name = chosen.identifier
        if ask.via is not None or chosen.file is None:
            return not all(map(ask.satisfied_by, self._allowed(name, others, chosen)))
        # A distribution has hundreds of releases that the ask answers: only those it does not are looked at.
        opposite = replace(ask, mood=Mood.MUST if ask.mood is Mood.NOT else Mood.NOT)
        final_alone = not (chosen.is_pre_release or self._candidates.open_to_pre_releases(name, others))
        kept_out = self._candidates.answering(name, (opposite, *others))
        return any(not (final_alone and one.is_pre_release) for one in kept_out)

    def _allowed(self, name: str, asks: Sequence[Ask], chosen: Candidate) -> Iterator[Candidate]:
        """The candidates that asks allow, best first; no fact stands between a pre-release and the rest."""
        if chosen.is_pre_release:
            return self._candidates.answering(name, asks)
        return self._candidates.admitted(name, asks, best_first=True)

    def _between(self, candidate: Candidate, depth: int) -> Iterator[str]:
        """Facts between a candidate that was not chosen, with what it would bring along, and the rest."""
        for ask in self._dependencies.of(candidate):
            if self._holds(ask):
                continue
            if ask.fact:
                if not self._could_follow(ask, candidate.identifier):
                    yield ask.fact.partition("#")[0]
            elif depth and ask.mood is Mood.MUST:
                for brought in self._expected(islice(self._open(ask), _BETTER)):
                    yield from self._between(brought, depth - 1)

    def _could_follow(self, ask: Ask, name: str) -> bool:
        """Whether what an ask is about is as it is only for the version of ``name`` that was chosen."""
        if ask.identifier.startswith(FACT_PREFIX):
            return False
        others = (one for one in self._asked.get(ask.identifier, ()) if not self._is_for(one, name))
        return any(True for _ in self._candidates.admitted(ask.identifier, (ask, *others), best_first=True))

    def _is_for(self, ask: Ask, name: str) -> bool:
        """Whether a component asks, or a fact about it, or nobody who could not be asked again."""
        if ask.fact:
            fact = self._knowledge.facts.named(ask.fact.partition("#")[0])
            return fact is not None and any(one.component == name for one in fact.when)
        return ask.asked_by in (str(self._present.get(name)), LOCK)

    def _expected(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Candidates whose asks are about to be read one after the other."""
        found = list(candidates)
        for candidate in found:
            self._dependencies.metadata.expect(candidate)
        return found

    def _open(self, ask: Ask) -> Iterator[Candidate]:
        """Candidates that answer an ask and everything that no fact asks."""
        others = (other for other in self._asked.get(ask.identifier, ()) if _lasting(other))
        return self._candidates.admitted(ask.identifier, (ask, *others), best_first=True)

    def _holds(self, ask: Ask) -> bool:
        """Whether what was chosen answers an ask, for a fact by one of its ways."""
        if ask.identifier.startswith(FACT_PREFIX):
            ways = self._dependencies.facts.ways(ask.fact)
            return any(all(self._holds(inner) for inner in way.asks) for way in ways)
        name = ask.identifier
        there = self._candidates.of(name)[0] if self._candidates.fixed(name) else None
        absent = Candidate(identifier=name, versions=())
        return ask.satisfied_by(self._present.get(name) or there or absent)


def _lasting(ask: Ask) -> bool:
    """Whether an ask is neither a fact's nor there only to keep what was locked before."""
    return not ask.fact and ask.asked_by != LOCK
