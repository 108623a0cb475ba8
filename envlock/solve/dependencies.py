"""What each candidate asks of other components: its metadata, its facts, and what it cannot work without."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from envlock.model.catalogue import Catalogue
from envlock.model.component import Range, Via
from envlock.model.errors import SurroundingsError
from envlock.model.fact import Condition, Fact
from envlock.model.knowledge import Knowledge, index_name
from envlock.solve.addresses import without_leave
from envlock.solve.asks import FACT_PREFIX, UNUSABLE_PREFIX, Ask, Candidate, Mood, split_extra
from envlock.solve.candidates import PYTHON
from envlock.solve.implied import implied_components
from envlock.solve.request import Request, applies

EVERY = Range.versions("")
NEEDS_BUILD = "metadata-needs-build"


class Dependencies:
    """The asks of candidates, each computed once.

    A fact is asked by the candidates of its first ``when`` component. Where only one way to satisfy it is
    left, that way is asked directly; where there are several, the candidate asks for the pseudo-component
    ``fact:ID``, whose candidates are the ways. What metadata asks does not depend on facts and may be shared
    between solves over other facts (``metadata_asks``).
    """

    def __init__(
        self,
        request: Request,
        knowledge: Knowledge,
        catalogue: Catalogue,
        facts: Iterable[Fact],
        metadata_asks: dict[tuple[str, str], tuple[Ask, ...]],
    ) -> None:
        self._request = request
        self._knowledge = knowledge
        self._catalogue = catalogue
        self._metadata_asks = metadata_asks
        self._overrides = {one.component: one for one in request.policy.overrides}
        self._known: dict[Candidate, tuple[Ask, ...]] = {}
        self._by_trigger: dict[str, list[Fact]] = defaultdict(list)
        self._facts: dict[str, Fact] = {}
        for fact in facts:
            self._by_trigger[fact.when[0].component].append(fact)
            self._facts[fact.id] = fact
        self._flavours: dict[str, list[str]] = defaultdict(list)
        for flavour, base in knowledge.flavours.items():
            self._flavours[base].append(flavour)

    def of(self, candidate: Candidate) -> tuple[Ask, ...]:
        """Everything that a candidate asks."""
        if candidate.absent:
            return ()
        if candidate.asks:
            return candidate.asks
        if candidate not in self._known:
            self._known[candidate] = tuple(self._asks(candidate))
        return self._known[candidate]

    def expect(self, candidate: Candidate) -> None:
        """Say that a candidate's metadata will probably be read, so that waiting overlaps."""
        if (
            candidate.file is not None
            and (candidate.identifier, candidate.file.url) not in self._metadata_asks
        ):
            name = split_extra(candidate.identifier)[0]
            self._catalogue.prefetch_metadata(index_name(name), candidate.file)

    def trigger(self, fact_id: str) -> str:
        """The component whose candidates ask for a fact."""
        return self._facts[fact_id].when[0].component

    def ways(self, fact_id: str) -> tuple[Candidate, ...]:
        """The ways to satisfy a fact whose first condition holds, those of the preferred versions first."""
        fact = self._facts[fact_id]
        identifier = FACT_PREFIX + fact_id
        ways = [tuple(self._then(fact))] if fact.then else []
        ways += [tuple(self._outside(other, identifier)) for other in fact.when[1:]]
        numbered = [
            Candidate(identifier=identifier, versions=(str(number),), asks=asks)
            for number, asks in enumerate(ways)
        ]
        if self._request.preferred:
            numbered.sort(key=lambda way: not all(self._kept(ask) for ask in way.asks))
        return tuple(numbered)

    def of_knowledge(self, candidate: Candidate) -> Iterator[Ask]:
        """What facts ask where a candidate is chosen; metadata is not read for it."""
        name, via = candidate.identifier, candidate.via
        yield from self._of_facts(name, candidate.versions, via, str(candidate))
        if candidate.file is not None and via is Via.WHEEL:
            implied = implied_components(name, candidate.version, candidate.via, self._knowledge)
            yield from self._of_implied(candidate, implied)

    def _kept(self, ask: Ask) -> bool:
        """Whether the version to keep, or absence where there is none, answers an ask."""
        version = self._request.preferred.get(ask.identifier)
        return ask.satisfied_by(Candidate(identifier=ask.identifier, versions=(version,) if version else ()))

    def _asks(self, candidate: Candidate) -> Iterator[Ask]:
        name, extra = split_extra(candidate.identifier)
        if candidate.file is None:
            yield from self._of_needs(candidate)
            yield from self._of_system(candidate)
            yield from self.of_knowledge(candidate)
            return
        key = (candidate.identifier, candidate.file.url)
        if key not in self._metadata_asks:
            self._metadata_asks[key] = tuple(self._of_metadata(candidate, name, extra))
        yield from self._metadata_asks[key]
        if extra:
            return
        yield from self._of_distribution(candidate)
        yield from self.of_knowledge(candidate)

    def _of_system(self, candidate: Candidate) -> Iterator[Ask]:
        """A system component's carrier, and the place that a member of a virtual component takes."""
        by = str(candidate)
        if candidate.provider is not None:
            yield _exactly(candidate.provider.distribution, candidate.version, by)
        if candidate.offer is not None and len(candidate.versions) == 1:
            for name, told in candidate.offer.properties.items():
                yield _exactly(name, told, by)
            for name, versions in candidate.offer.requires.items():
                wanted, needed = Range.versions(versions), self._knowledge.component(name)
                # What the site built belongs together: its Horovod is for its TensorFlow.
                brought = any(one.component == needed for one in self._request.target.distributions)
                via = Via.SITE if brought else None
                yield Ask(identifier=needed, mood=Mood.MUST, range=wanted, asked_by=by, via=via)
        for virtual in self._knowledge.systems.values():
            if candidate.identifier in virtual.members:
                word = Range.words(candidate.identifier)
                yield Ask(identifier=virtual.name, mood=Mood.MUST, range=word, asked_by=by)
            if candidate.identifier == virtual.name and virtual.members:
                for member in virtual.members:
                    mood = Mood.MUST if member == candidate.version else Mood.NOT
                    yield Ask(identifier=member, mood=mood, range=EVERY, asked_by=by)

    def _of_metadata(self, candidate: Candidate, name: str, extra: str) -> Iterator[Ask]:
        assert candidate.file is not None  # noqa: S101 - the caller looked
        by = str(candidate)
        try:
            metadata = self._catalogue.metadata(index_name(name), candidate.file)
        except SurroundingsError as error:
            if error.code != NEEDS_BUILD:
                raise
            yield _unusable(f"{by} as it is: {error.message}, since {error.why}", by)
            return
        if extra:
            yield _exactly(name, candidate.version, by)
        elif str(metadata.requires_python):
            yield Ask(
                identifier=PYTHON,
                mood=Mood.MUST,
                range=Range.versions(str(metadata.requires_python)),
                asked_by=by,
            )
        wanted = []
        for requirement in metadata.requires_dist:
            if not applies(requirement, self._request.interpreter, extra):
                continue
            if extra and applies(requirement, self._request.interpreter):
                continue  # the distribution without the extra asks for it already
            wanted.append(requirement.name)
            yield from self._of_requirement(requirement, by)
        self._catalogue.prefetch(wanted)

    def _of_requirement(self, requirement: Requirement, by: str) -> Iterator[Ask]:
        """What metadata asks of one distribution, or what an override of the group's asks instead."""
        identifier = self._knowledge.distribution(requirement.name)
        specifier, extras, reason = requirement.specifier, requirement.extras, ""
        if override := self._overrides.get(identifier):
            if not applies(override.requirement, self._request.interpreter):
                return
            specifier, reason = override.requirement.specifier, override.reason
            extras = extras | override.requirement.extras
        elif requirement.url and identifier not in self._request.direct:
            yield _unusable(without_leave(by, requirement), by)
            return
        versions = Range.versions(str(specifier))
        for name in (identifier, *(f"{identifier}[{canonicalize_name(one)}]" for one in sorted(extras))):
            yield Ask(identifier=name, mood=Mood.MUST, range=versions, asked_by=by, override=reason)

    def _of_distribution(self, candidate: Candidate) -> Iterator[Ask]:
        """What it cannot work without, and the system component that it carries."""
        by = str(candidate)
        yield from self._of_needs(candidate)
        for provider in self._knowledge.providers:
            if provider.distribution == candidate.identifier:
                versions = Range.versions(f"=={candidate.version}")
                yield Ask(
                    identifier=provider.component,
                    mood=Mood.MUST,
                    range=versions,
                    asked_by=by,
                    via=Via.WHEEL,
                )

    def _of_needs(self, candidate: Candidate) -> Iterator[Ask]:
        for need in self._knowledge.needs:
            if (
                need.distribution == candidate.identifier
                and need.range.contains(candidate.version)
                and not any(self._request.settled(one) for one in need.unless)
            ):
                yield Ask(identifier=need.component, mood=Mood.MUST, range=EVERY, asked_by=str(candidate))

    def _of_facts(
        self, component: str, versions: tuple[str, ...], via: Via | None, candidate: str
    ) -> Iterator[Ask]:
        # A fact may speak of a distribution by its own name, or of all flavours by what they are flavours of.
        names = dict.fromkeys((self._knowledge.flavour_of(component), component))
        for fact in (fact for name in names for fact in self._by_trigger.get(name, ())):
            trigger = fact.when[0]
            if component in trigger.without or not any(trigger.holds(v, via) for v in versions):
                continue
            asked_by = FACT_PREFIX + fact.id
            others = fact.when[1:]
            if not others and not fact.then:
                yield _unusable(candidate, asked_by)
            elif not others:
                yield from self._then(fact)
            elif len(others) == 1 and not fact.then:
                yield from self._outside(others[0], asked_by)
            else:
                yield Ask(identifier=asked_by, mood=Mood.MUST, range=EVERY, asked_by=asked_by)

    def _of_implied(self, candidate: Candidate, implied: Mapping[str, str]) -> Iterator[Ask]:
        """What facts ask on behalf of what a wheel carries inside.

        A bundled library meets its wheel, what else is inside, and the node (as in ``judge``): the first two
        are decided here and now, the node is asked.
        """
        names = (self._knowledge.flavour_of(candidate.identifier), candidate.identifier)
        inside = {**dict.fromkeys(names, candidate.version), **implied}
        for component in implied:
            for fact in self._by_trigger.get(component, ()):
                asked_by = FACT_PREFIX + fact.id
                met = [c for c in fact.when if self._carried(c, inside)]
                open_when = [c for c in fact.when if c not in met]
                if fact.when[0] not in met or not all(self._is_fixed(c.component) for c in open_when):
                    continue
                asked = [c for c in fact.then if self._is_fixed(c.component)]
                broken = [c for c in fact.then if c.component in inside and not self._carried(c, inside)]
                if not open_when and (broken or not fact.then):
                    yield _unusable(str(candidate), asked_by)
                elif not open_when:
                    for condition in asked:
                        yield from self._all_flavours(condition, Mood.MAY, asked_by)
                elif broken or asked or not fact.then:
                    yield Ask(identifier=asked_by, mood=Mood.MUST, range=EVERY, asked_by=asked_by)

    def _carried(self, condition: Condition, inside: Mapping[str, str]) -> bool:
        version = inside.get(condition.component)
        return version is not None and condition.holds(version, Via.WHEEL)

    def _is_fixed(self, component: str) -> bool:
        system = self._knowledge.systems.get(component)
        return system is not None and system.fixed

    def _then(self, fact: Fact) -> Iterator[Ask]:
        for condition in fact.then:
            yield from self._all_flavours(condition, Mood.MAY, FACT_PREFIX + fact.id)

    def _outside(self, condition: Condition, asked_by: str) -> Iterator[Ask]:
        yield from self._all_flavours(condition, Mood.NOT, asked_by)

    def _all_flavours(self, condition: Condition, mood: Mood, asked_by: str) -> Iterator[Ask]:
        for name in (condition.component, *self._flavours.get(condition.component, ())):
            if name in condition.without:
                continue
            yield Ask(identifier=name, mood=mood, range=condition.range, asked_by=asked_by, via=condition.via)


def _unusable(candidate: str, asked_by: str) -> Ask:
    """An ask that nothing answers: the candidate cannot be had, whatever else is chosen."""
    return Ask(identifier=f"{UNUSABLE_PREFIX}{candidate}", mood=Mood.MUST, range=EVERY, asked_by=asked_by)


def _exactly(identifier: str, version: str, asked_by: str) -> Ask:
    return Ask(identifier=identifier, mood=Mood.MUST, range=Range.only(version), asked_by=asked_by)


def held_asks(held: Mapping[str, str], asked_by: str) -> Iterator[Ask]:
    """Asks that hold components at one version, if they are there at all."""
    for identifier, version in held.items():
        yield Ask(
            identifier=identifier,
            mood=Mood.MAY,
            range=Range.only(version),
            asked_by=asked_by,
        )
