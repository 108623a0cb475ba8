"""What each candidate requires: by its metadata, by facts, and what it cannot work without."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import chain

from envlock.model.component import PYTHON, Range, Via
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.knowing.need import EVERY_DISTRIBUTION, Need
from envlock.model.project.target import Target
from envlock.model.project.toolchains import TOOLCHAIN
from envlock.solve.dependencies.of_facts import FactRequirements
from envlock.solve.dependencies.of_metadata import MetadataRequirements
from envlock.solve.offers.requested_extras import RequestedExtras
from envlock.solve.request import Request
from envlock.solve.requirements import EVERY, Candidate, Level, Requirement, exactly, split_extra


def words_of_offers(target: Target, knowledge: Knowledge) -> Mapping[str, frozenset[str]]:
    """Map system components to the words that only come with some of the site's offers of them.

    Members of a virtual component have these in common: whether there is ``mpi-cuda`` is for the MPI that is
    chosen to say, and one that comes from an index, or whose offer does not say, has none.
    """
    stated = {offer.component for offer in target.offers}
    words = {
        name
        for offer in target.offers
        for name in offer.properties
        if name not in stated
        and (system := knowledge.systems.get(name))
        and system.words
        and not system.choices
    }
    found: dict[str, frozenset[str]] = {}
    for offer in target.offers:
        alike = (
            virtual.members for virtual in knowledge.systems.values() if offer.component in virtual.members
        )
        for component in (offer.component, *chain.from_iterable(alike)):
            found[component] = found.get(component, frozenset()) | words.intersection(offer.properties)
    return found


class Dependencies:
    """The requirements of candidates, each computed once.

    Attributes:
        facts: what facts require.
        metadata: what metadata requires.
    """

    def __init__(
        self,
        request: Request,
        knowledge: Knowledge,
        facts: FactRequirements,
        metadata: MetadataRequirements,
        extras: RequestedExtras,
        words: Mapping[str, frozenset[str]],
        offered: Callable[[str], object],
    ) -> None:
        self.facts = facts
        self.metadata = metadata
        self._extras = extras
        self._request = request
        self._knowledge = knowledge
        self._known: dict[Candidate, tuple[Requirement, ...]] = {}
        self._words = words
        self._offered = offered
        self._needs: dict[str, list[Need]] = {}
        for need in knowledge.needs:
            self._needs.setdefault(need.distribution, []).append(need)

    def of(self, candidate: Candidate) -> tuple[Requirement, ...]:
        """Return everything that a candidate requires."""
        if candidate.absent:
            return ()
        if candidate.requirements:
            return candidate.requirements
        if candidate not in self._known:
            self._known[candidate] = tuple(self._requirements(candidate))
        return self._known[candidate]

    def _requirements(self, candidate: Candidate) -> Iterator[Requirement]:
        if candidate.file is None:
            yield from self._of_needs(candidate)
            yield from self._of_system(candidate)
            yield from self.facts.of(candidate)
            return
        if not candidate.file.is_wheel and (missing := self._missing(candidate)):
            yield from missing  # sources that cannot do for want of these are not worth fetching
            return
        yield from self.metadata.of(candidate, candidate.file)
        if split_extra(candidate.identifier)[1]:
            yield from self._extras.not_yet(candidate)
            return
        yield from self._of_distribution(candidate)
        yield from self.facts.of(candidate)

    def _of_system(self, candidate: Candidate) -> Iterator[Requirement]:
        """Yield a system component's requirements: its carrier, and its place in a virtual component."""
        by = str(candidate)
        if candidate.identifier == PYTHON and (toolchain := self._request.interpreter.toolchain):
            yield replace(exactly(TOOLCHAIN, toolchain, by), level=Level.MAY)
        if candidate.provider is not None:
            yield exactly(candidate.provider.distribution, candidate.version, by)
        yield from self._of_offer(candidate)
        for virtual in self._knowledge.systems.values():
            if candidate.identifier in virtual.members:
                word = Range.words(candidate.identifier)
                yield Requirement(identifier=virtual.name, level=Level.MUST, range=word, asked_by=by)
            if candidate.identifier == virtual.name and virtual.members:
                for member in virtual.members:
                    level = Level.MUST if member == candidate.version else Level.MUST_NOT
                    yield Requirement(identifier=member, level=level, range=EVERY, asked_by=by)

    def _of_offer(self, candidate: Candidate) -> Iterator[Requirement]:
        """Yield what comes with a site's offer and what does not, and what the site built it with."""
        by, offer = str(candidate), candidate.offer
        lacking = self._words.get(candidate.identifier, frozenset()).difference(
            offer.properties if offer else ()
        )
        for name in sorted(lacking):
            yield Requirement(identifier=name, level=Level.MUST_NOT, range=EVERY, asked_by=by)
        if offer is None or len(candidate.versions) > 1:
            return
        for name, value in offer.properties.items():
            yield exactly(name, value, by)
        for name, versions in offer.requires.items():
            wanted, needed = Range.versions(versions), self._knowledge.component(name)
            # What the site built belongs together: its Horovod is for its TensorFlow.
            brought = any(offer.component == needed for offer in self._request.target.distributions)
            via = Via.SITE if brought else None
            yield Requirement(identifier=needed, level=Level.MUST, range=wanted, asked_by=by, via=via)

    def _of_distribution(self, candidate: Candidate) -> Iterator[Requirement]:
        """Yield what it cannot work without, and the system component that it carries."""
        by = str(candidate)
        yield from self._of_needs(candidate)
        for provider in self._knowledge.providers:
            if provider.distribution == candidate.identifier:
                versions = Range.versions(f"=={candidate.version}")
                yield Requirement(
                    identifier=provider.component,
                    level=Level.MUST,
                    range=versions,
                    asked_by=by,
                    via=Via.WHEEL,
                )

    def _missing(self, candidate: Candidate) -> list[Requirement]:
        """Return what a distribution cannot work without and nothing offers."""
        return [needed for needed in self._of_needs(candidate) if not self._offered(needed.identifier)]

    def _of_needs(self, candidate: Candidate) -> Iterator[Requirement]:
        python, published = self._request.interpreter.version, None
        if candidate.file is not None and candidate.file.upload_time is not None:
            published = candidate.file.upload_time.date()
        needs = (self._needs.get(name, ()) for name in (candidate.identifier, EVERY_DISTRIBUTION))
        for need in chain.from_iterable(needs):
            if need.beside and not any(self._request.is_about(name, self._knowledge) for name in need.beside):
                continue
            if need.is_of(
                candidate.identifier, candidate.version, published, python, candidate.via
            ) and not any(self._request.settled(component) for component in need.unless):
                needed = self._request.stand_ins.get(need.component, need.component)
                by = str(candidate)
                yield Requirement(
                    identifier=needed, level=Level.MUST, range=EVERY, asked_by=by, because=need.reason
                )
