"""What facts require when a candidate is chosen; no metadata is read for that."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from envlock.judging.implied import implied_components
from envlock.model.component import PYTHON, Via
from envlock.model.knowing.fact import Condition, Fact
from envlock.model.knowing.facts import Facts
from envlock.model.knowing.knowledge import Knowledge
from envlock.solve.request import Request
from envlock.solve.requirements import EVERY, FACT_PREFIX, Candidate, Level, Requirement, unusable


class FactRequirements:
    """The requirements of facts.

    The candidates of a fact's first ``when`` component require it. Where only one way to satisfy it is left,
    they require that directly; where there are several, they require the pseudo-component ``fact:ID``, whose
    candidates are the ways.

    Attributes:
        known: the facts that count.
    """

    def __init__(self, request: Request, knowledge: Knowledge, facts: Facts) -> None:
        self._request = request
        self._knowledge = knowledge
        self._machine = request.target.machine
        self.known = facts
        self._names: dict[str, tuple[str, ...]] = {}
        self._flavours: dict[str, list[str]] = defaultdict(list)
        for flavour, base in knowledge.flavours.items():
            self._flavours[base].append(flavour)

    def of(self, candidate: Candidate) -> Iterator[Requirement]:
        """Yield what facts require when a candidate is chosen, also for what its wheel carries."""
        name, via = candidate.identifier, candidate.via
        yield from self._of_triggered(name, candidate.versions, via, str(candidate))
        if candidate.file is not None and via is Via.WHEEL:
            implied = implied_components(name, candidate.version, via, self._knowledge, self._machine)
            yield from self._of_implied(candidate, implied)

    def trigger(self, fact_id: str) -> str:
        """Return the component whose candidates require a fact."""
        return self._fact(fact_id).when[0].component

    def ways(self, fact_id: str) -> tuple[Candidate, ...]:
        """Return the ways to satisfy a fact whose first condition holds, those that keep versions first."""
        fact = self._fact(fact_id)
        identifier = FACT_PREFIX + fact_id
        ways = [tuple(self._then(fact.then, fact.id))] if fact.then else []
        ways += [tuple(self._outside(other, identifier)) for other in fact.when[1:]]
        numbered = [
            Candidate(identifier=identifier, versions=(str(number),), requirements=requirements)
            for number, requirements in enumerate(ways)
        ]
        if self._request.preferred:
            numbered.sort(
                key=lambda way: not all(self._kept(requirement) for requirement in way.requirements)
            )
        return tuple(numbered)

    def _fact(self, fact_id: str) -> Fact:
        fact = self.known.named(fact_id)
        if fact is None:
            raise KeyError(fact_id)
        return fact

    def _kept(self, requirement: Requirement) -> bool:
        """Whether the version to keep, or absence where there is none, satisfies a requirement."""
        version = self._request.preferred.get(requirement.identifier)
        return requirement.satisfied_by(
            Candidate(identifier=requirement.identifier, versions=(version,) if version else ())
        )

    def _of_triggered(
        self, component: str, versions: tuple[str, ...], via: Via | None, candidate: str
    ) -> Iterator[Requirement]:
        for fact in (fact for name in self._called(component) for fact in self.known.of(name)):
            trigger = fact.when[0]
            if component in trigger.without or not any(trigger.holds(v, via) for v in versions):
                continue
            asked_by = FACT_PREFIX + fact.id
            others = fact.when[1:]
            if any(self._never_here(other) for other in others):
                continue
            if not others and not fact.then:
                yield unusable(candidate, asked_by)
            elif not others:
                yield from self._then((then.beside(versions[0]) for then in fact.then), fact.id)
            elif len(others) == 1 and not fact.then:
                yield from self._outside(others[0], asked_by)
            else:
                yield Requirement(identifier=asked_by, level=Level.MUST, range=EVERY, asked_by=asked_by)

    def _of_implied(self, candidate: Candidate, implied: Mapping[str, str]) -> Iterator[Requirement]:
        """Yield what facts require on behalf of what a wheel carries inside.

        A bundled library meets its wheel, what else is inside, and the node (as in ``judge``): the first two
        are decided here and now; of the node it is required.
        """
        names = (self._knowledge.flavour_of(candidate.identifier), candidate.identifier)
        inside = {**dict.fromkeys(names, candidate.version), **implied}
        for component in implied:
            for fact in self.known.of(component):
                asked_by = FACT_PREFIX + fact.id
                met = [c for c in fact.when if self._carried(c, inside)]
                open_when = [c for c in fact.when if c not in met]
                if fact.when[0] not in met or not all(self._is_fixed(c.component) for c in open_when):
                    continue
                then = [c.beside(inside[fact.when[0].component]) for c in fact.then]
                asked = [c for c in then if self._is_fixed(c.component)]
                broken = [c for c in then if self._broken(c, inside)]
                if not open_when and (broken or not fact.then):
                    yield unusable(str(candidate), asked_by)
                elif not open_when:
                    for condition in asked:
                        yield from self._all_flavours(condition, Level.MAY, asked_by)
                elif broken or asked or not fact.then:
                    yield Requirement(identifier=asked_by, level=Level.MUST, range=EVERY, asked_by=asked_by)

    def _carried(self, condition: Condition, inside: Mapping[str, str]) -> bool:
        version = inside.get(condition.component)
        return version is not None and condition.holds(version, Via.WHEEL)

    def _broken(self, condition: Condition, inside: Mapping[str, str]) -> bool:
        """Whether a wheel itself violates what a fact requires; a condition on builds says nothing of it."""
        version = inside.get(condition.component)
        return version is not None and condition.breaks(version, Via.WHEEL)

    def _called(self, component: str) -> tuple[str, ...]:
        """What facts may call a component: all flavours by what they are flavours of, or are named for."""
        if component not in self._names:
            self._names[component] = tuple(sorted(self._knowledge.names_in_facts(component)))
        return self._names[component]

    def _never_here(self, condition: Condition) -> bool:
        """Whether the interpreter or the node keeps a condition from holding, whatever is chosen.

        A fact about drivers requires nothing of a node without one: that may be unobtainable.
        """
        name = condition.component
        if name == PYTHON:
            return not condition.holds(self._request.interpreter.version, Via.SITE)
        if not self._is_fixed(name):
            return False
        there = self._request.target.offered(name)
        return not any(condition.holds(offer.version, Via.SITE) for offer in there)

    def _is_fixed(self, component: str) -> bool:
        system = self._knowledge.systems.get(component)
        return system is not None and system.fixed

    def _then(self, conditions: Iterable[Condition], fact_id: str) -> Iterator[Requirement]:
        for condition in conditions:
            yield from self._all_flavours(condition, Level.MAY, FACT_PREFIX + fact_id)

    def _outside(self, condition: Condition, asked_by: str) -> Iterator[Requirement]:
        yield from self._all_flavours(condition, Level.MUST_NOT, asked_by)

    def _all_flavours(self, condition: Condition, level: Level, asked_by: str) -> Iterator[Requirement]:
        for name in (condition.component, *self._flavours.get(condition.component, ())):
            if name in condition.without:
                continue
            yield Requirement(
                identifier=name, level=level, range=condition.range, asked_by=asked_by, via=condition.via
            )
