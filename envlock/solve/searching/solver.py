"""Attempts to answer parts of a request: straight on, by resolvelib, by the exact search, which decides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from packaging.utils import canonicalize_name

from envlock.judging.translations import TRANSLATED_SOURCES
from envlock.model.component import PYTHON
from envlock.model.errors import RefusedError
from envlock.model.knowing.fact import Fact, Severity
from envlock.model.knowing.facts import Facts
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.pins import CONSTRAINT, EXCLUSION, NODE, YOU, Solved
from envlock.model.published.catalogue import Catalogue
from envlock.solve.dependencies.of_candidates import Dependencies, words_of_offers
from envlock.solve.dependencies.of_facts import FactRequirements
from envlock.solve.dependencies.of_metadata import MetadataRequirements
from envlock.solve.offers.candidates import Candidates
from envlock.solve.offers.requested_extras import RequestedExtras
from envlock.solve.offers.shared import Shared
from envlock.solve.request import Request, applies, exact_version
from envlock.solve.requirements import EVERY, LOCK, Level, Requirement, held_requirements
from envlock.solve.searching.answer import AnswerReader
from envlock.solve.searching.by_resolvelib import by_resolvelib, too_deep
from envlock.solve.searching.confirmed import confirmed
from envlock.solve.searching.forward import Forward
from envlock.solve.searching.nearer import builds, is_left_behind, is_nearer
from envlock.solve.searching.nogoods import Nogoods
from envlock.solve.searching.outcomes import Found, Refuted, Undecided
from envlock.solve.searching.provider import Provider
from envlock.solve.searching.search import Search

_MAX_ROUNDS = 20_000
_ROUNDS_AT_FIRST = 2_000
"""Rounds for resolvelib where the exact search came to no end so far."""
_ROUNDS_BESIDE = 200
"""Rounds for resolvelib beyond one for each component of the exact search's answer, from which its own did
not differ wherever both were compared; no more than these where it refuses all without pre-releases."""
_MAX_DECISIONS = 20_000
_DECISIONS_AT_FIRST = 1_000
"""How far the exact search goes before resolvelib, which is slow to refuse and proves nothing by it."""


class Solver:
    """What the attempts for one request share: candidates and what their metadata requires.

    Attributes:
        facts: the facts that can refuse, in the order of their names.
        metadata: what metadata requires.
        overruled: how many runs of resolvelib gave a wrong refusal or a wrong answer.
    """

    def __init__(self, request: Request, knowledge: Knowledge, catalogue: Catalogue, shared: Shared) -> None:
        self.request = request
        self.knowledge = knowledge
        self.catalogue = catalogue
        self._shared = shared
        self.candidates = Candidates(request, knowledge, catalogue, shared)
        asked_for = {wish.component for wish in request.applying}
        asked_for.update(knowledge.flavour_of(name) for name in tuple(asked_for))

        def counts(fact: Fact) -> bool:
            # What nobody wants is not brought in to silence a fact.
            silenced = fact.id in request.waived or not asked_for.isdisjoint(fact.unless)
            return fact.severity is Severity.REFUSE and not silenced

        self.facts = knowledge.facts.where(counts)
        self.overruled = 0
        self._nogoods = Nogoods()
        markers = tuple(sorted(request.interpreter.markers.items()))
        overrides = tuple(
            sorted(
                (override.component, str(override.requirement), override.reason)
                for override in request.policy.overrides
            )
        )
        instead = tuple(sorted(request.stand_ins.items()))
        waived = TRANSLATED_SOURCES in request.waived
        wanted = (markers, overrides, instead, waived, request.supposing, *sorted(request.direct))
        known = shared.metadata_requirements.setdefault(wanted, {})
        self.metadata = MetadataRequirements(request, knowledge, catalogue, known)
        self._extras = RequestedExtras(request, self.candidates, catalogue)
        self._words = words_of_offers(request.target, knowledge)

    def of(self, request: Request) -> Solver:
        """Return a solver for another request over the same catalogue."""
        return Solver(request, self.knowledge, self.catalogue, self._shared)

    def requirements(self) -> tuple[Requirement, ...]:
        """Return what the request requires at the root."""
        python = Requirement(identifier=PYTHON, level=Level.MUST, range=EVERY, asked_by=NODE)
        held = (
            *held_requirements(self.request.held, "the environment"),
            *held_requirements(self.request.raised, LOCK),
        )
        return (python, *self._wishes(), *self._policy(), *held, *self._surroundings())

    def _wishes(self) -> Iterator[Requirement]:
        for wish in self.request.applying:
            extras = sorted(set(map(canonicalize_name, wish.requirement.extras))) if wish.requirement else []
            exact = wish.requirement is not None and bool(exact_version(wish.requirement.specifier))
            for identifier in (wish.component, *(f"{wish.component}[{extra}]" for extra in extras)):
                yield Requirement(
                    identifier=identifier, level=Level.MUST, range=wish.range, asked_by=YOU, exact=exact
                )

    def _policy(self) -> Iterator[Requirement]:
        """Yield what the group's policy narrows and forbids, should anything else require it."""
        for constraint in self.request.policy.constraints:
            if constraint.requirement is None or applies(constraint.requirement, self.request.interpreter):
                yield Requirement(
                    identifier=constraint.component,
                    level=Level.MAY,
                    range=constraint.range,
                    asked_by=CONSTRAINT,
                )
        for excluded in self.request.policy.exclusions:
            yield Requirement(
                identifier=excluded.component, level=Level.MUST_NOT, range=EVERY, asked_by=EXCLUSION
            )

    def _surroundings(self) -> Iterator[Requirement]:
        """Yield the node's components that facts begin with: they are there even if nothing requires them."""
        for name in sorted(self.knowledge.facts.components):
            if name != PYTHON and self.candidates.fixed(name):
                yield Requirement(identifier=name, level=Level.MAY, range=EVERY, asked_by=NODE)

    def read(self, found: Found, learned: Iterable[Fact]) -> Solved:
        """Return the pins of a finished attempt over all facts."""
        dependencies = self._dependencies(self.facts.plus(learned))
        return AnswerReader(found, self.request, self.knowledge, self.candidates, dependencies).solved()

    def provider(self, facts: Facts, standing: Iterable[Requirement] = ()) -> Provider:
        """Return what answers for components under some of the facts."""
        return Provider(self.candidates, self._dependencies(facts), standing)

    def _dependencies(self, facts: Facts) -> Dependencies:
        requirements = FactRequirements(self.request, self.knowledge, facts)
        return Dependencies(
            self.request,
            self.knowledge,
            requirements,
            self.metadata,
            self._extras,
            self._words,
            self.candidates.of,
        )

    def attempt(
        self, requirements: Iterable[Requirement], facts: Facts, *, far: bool = True, nearest: bool = False
    ) -> Found | Refuted:
        """Find an answer to some requirements under some of the facts, or the proof that there is none.

        Where the exact search reaches its bound, resolvelib's refusal stands, blamed on everything.

        Args:
            requirements: what the answer has to meet.
            facts: the facts that count.
            far: whether to go on where a short search has reached no end.
            nearest: whether to look for nearer releases of the wishes that a guess has passed by.

        Raises:
            RefusedError: ``too-deep``: neither reached an end within its bound.
        """
        wanted = tuple(requirements)
        self.catalogue.prefetch(
            wish.requirement.name for wish in self.request.applying if wish.requirement is not None
        )
        provider, wanting = self._posed(wanted, facts)
        way = Forward(provider)
        straight = way.run(wanting)
        if straight is not None and (answer := confirmed(straight, wanted, provider)):
            return self._nearer(answer, way, provider, wanted) if nearest else answer
        exact = self._search(provider.with_all_pre_releases(), wanted, _DECISIONS_AT_FIRST)
        if isinstance(exact, Refuted):
            return exact
        if isinstance(exact, Undecided) and not far:
            raise too_deep(_DECISIONS_AT_FIRST, provider)
        exact = self._with_named_pre_releases(exact, provider, wanted, _DECISIONS_AT_FIRST)
        rounds = _ROUNDS_AT_FIRST if isinstance(exact, Undecided) else _ROUNDS_BESIDE
        if isinstance(exact, Found):
            rounds += len(exact.mapping)
        found = by_resolvelib(provider, wanting, wanted, facts, rounds)
        if isinstance(found, Found):
            return found
        if isinstance(exact, Undecided):
            exact = self._search(provider.with_all_pre_releases(), wanted, _MAX_DECISIONS)
            exact = self._with_named_pre_releases(exact, provider, wanted, _MAX_DECISIONS)
        if isinstance(exact, Found):
            self.overruled += 1
            return confirmed(exact.mapping, wanted, provider) or exact
        if isinstance(exact, Undecided):
            return _stands(by_resolvelib(provider, wanting, wanted, facts, _MAX_ROUNDS), provider)
        return exact

    def refutes(self, requirements: Iterable[Requirement], facts: Facts) -> bool:
        """Whether some requirements are found, within bounds, to have no answer under some of the facts.

        As for ``attempt``, but for the answer itself: what to take first in it costs most of the time. Where
        one is found with pre-releases alone, a short search has to prove that there is none without.
        """
        wanted = tuple(requirements)
        provider, wanting = self._posed(wanted, facts)
        straight = Forward(provider).run(wanting)
        if straight is not None and confirmed(straight, wanted, provider):
            return False
        exact = self._search(provider.with_all_pre_releases(), wanted, _MAX_DECISIONS)
        if isinstance(exact, Undecided):
            return isinstance(by_resolvelib(provider, wanting, wanted, facts, _MAX_ROUNDS), Refuted)
        named = self._with_named_pre_releases(exact, provider, wanted, _DECISIONS_AT_FIRST)
        return isinstance(named, Refuted)

    def _posed(self, wanted: Sequence[Requirement], facts: Facts) -> tuple[Provider, list[Requirement]]:
        """Return what answers for components, and those requirements that do not merely stand by."""
        standing = [
            asked
            for asked in wanted
            if asked.level is not Level.MUST and not self.candidates.fixed(asked.identifier)
        ]
        passive = set(standing)
        return self.provider(facts, standing), [asked for asked in wanted if asked not in passive]

    def _nearer(
        self, answer: Found, way: Forward, provider: Provider, wanted: Sequence[Requirement]
    ) -> Found:
        """Return an answer with nearer releases of what the straight way passed by, and with none farther.

        It passed by what it took back on a guess, and what it moved for something that the answer has not.
        """
        wishes = [requirement for requirement in wanted if requirement.asked_by == YOU]
        left = {name for name in way.moved if is_left_behind(name, answer, provider)}
        passed = (way.guessed - way.moved) | left
        held = answer
        if not passed.isdisjoint(requirement.identifier for requirement in wishes):
            exact = self._search(provider.with_all_pre_releases(), wanted, _DECISIONS_AT_FIRST)
            exact = self._with_named_pre_releases(exact, provider, wanted, _DECISIONS_AT_FIRST)
            if isinstance(exact, Found) and is_nearer(exact, answer, wishes, passed, provider):
                held = exact
        return self._again(held, answer, provider, wanted) if left or held is not answer else answer

    def _again(self, held: Found, answer: Found, provider: Provider, wanted: Sequence[Requirement]) -> Found:
        """Return what the straight way leads to where the wishes are held, if that takes no more builds."""
        pins = (held.mapping[requirement.identifier] for requirement in wanted if requirement.asked_by == YOU)
        holding = held_requirements({pin.identifier: pin.version for pin in pins if pin.file}, YOU)
        try:
            other = self.attempt((*wanted, *holding), provider.facts, far=False)
        except RefusedError:  # too deep: what was found first is an answer as well
            return answer
        nearer = confirmed(other.mapping, wanted, provider) if isinstance(other, Found) else None
        return answer if nearer is None or builds(nearer) > builds(answer) else nearer

    def _with_named_pre_releases(
        self,
        widest: Found | Refuted | Undecided,
        provider: Provider,
        wanted: Sequence[Requirement],
        bound: int,
    ) -> Found | Refuted | Undecided:
        """Search again where an answer has pre-releases that nobody names."""
        if isinstance(widest, Found) and not _only_named_pre_releases(widest, provider):
            return self._search(provider, wanted, bound)
        return widest

    def refutation(self, requirements: Iterable[Requirement], facts: Facts) -> Found | Refuted:
        """Search afresh, as ``attempt`` does, for how something known to have no answer comes to have none.

        Raises:
            RefusedError: nothing reached an end within its bound.
        """
        wanted = tuple(requirements)
        for provider in (self.provider(facts).with_all_pre_releases(), self.provider(facts)):
            found = Search(provider).run(wanted, bound=_MAX_DECISIONS)
            if isinstance(found, Refuted):
                return found
        return self.attempt(wanted, facts)

    def _search(
        self, provider: Provider, wanted: Sequence[Requirement], bound: int
    ) -> Found | Refuted | Undecided:
        return Search(provider, self._nogoods).run(wanted, bound=bound)


def _stands(found: Found | Refuted | RefusedError | None, provider: Provider) -> Found | Refuted:
    """Return what resolvelib says, which stands where nothing else reached an end."""
    if isinstance(found, Found | Refuted):
        return found
    raise found or too_deep(_MAX_DECISIONS, provider)


def _only_named_pre_releases(found: Found, provider: Provider) -> bool:
    """Whether all pre-releases in an answer also count without admitting every pre-release."""
    pins = ((name, pin) for name, pin in found.mapping.items() if pin.is_pre_release)
    return all(pin in provider.answers(name, frozenset(found.requirements[name])) for name, pin in pins)
