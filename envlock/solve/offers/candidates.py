"""Candidates for every identifier, in the order in which the solver should try them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import filterfalse

from packaging.specifiers import SpecifierSet

from envlock.judging.tags import supported_tags
from envlock.model.component import PYTHON, Range, Via, is_placeholder, parse_version
from envlock.model.gpu import GPUS
from envlock.model.knowing.knowledge import Knowledge, index_name
from envlock.model.locked.pins import YOU
from envlock.model.project.package_sources import Direct
from envlock.model.project.target import Offer
from envlock.model.published.catalogue import Catalogue, DistFile, Releases
from envlock.solve.era import era_of_interpreter
from envlock.solve.offers.patched_cut_off import cut_off_with_patches
from envlock.solve.offers.releases import Ranked, Selection, later_last, withdrawn
from envlock.solve.offers.sdist_only import compiled
from envlock.solve.offers.shared import Shared
from envlock.solve.request import EVERYTHING, Request, applies, exact_version
from envlock.solve.requirements import LOCK, OF_NO_COMPONENT, Candidate, Level, Requirement, split_extra


class Candidates:
    """Every usable candidate of an identifier, best first, examined only as far as the solver goes."""

    def __init__(self, request: Request, knowledge: Knowledge, catalogue: Catalogue, shared: Shared) -> None:
        self._request = request
        self._shared = shared
        self._knowledge = knowledge
        self._catalogue = catalogue
        self._known: dict[str, tuple[Candidate, ...]] = {}
        self._ranked: dict[str, Ranked] = {}
        self._carriers = {provider.distribution for provider in knowledge.providers}
        named = [(constraint.component, constraint.requirement) for constraint in request.policy.constraints]
        named += [(wish.component, wish.requirement) for wish in request.wishes]
        owned = {component: SpecifierSet(f"==={version}") for component, version in request.owned.items()}
        self._pinned = owned | {
            component: requirement.specifier
            for component, requirement in named
            if requirement is not None
            and exact_version(requirement.specifier)
            and applies(requirement, request.interpreter)
        }
        target, interpreter = request.target, request.interpreter
        place = (target.machine, target.glibc, interpreter.version, interpreter.abi, str(request.as_of))
        self._gpus = target.gpus
        self._surroundings = (*place, request.era_of_pins, *self._gpus)

    def of(self, identifier: str) -> tuple[Candidate, ...]:
        """Return all candidates of a component or of ``name[extra]``; none if there is no such thing."""
        if identifier not in self._known:
            name, extra = split_extra(identifier)
            if extra:
                found = tuple(replace(candidate, identifier=identifier) for candidate in self.of(name))
            elif self._is_system(name):
                found = tuple(self._system(name))
            else:
                found = tuple(self._distributions(name, ()))
            self._known[identifier] = found
        return self._known[identifier]

    def answering(self, identifier: str, requirements: Collection[Requirement]) -> Iterator[Candidate]:
        """Yield the candidates that satisfy every requirement, best first, examining them one by one."""
        name, extra = split_extra(identifier)
        if self._is_system(name):
            yield from (candidate for candidate in self.of(identifier) if candidate.satisfies(requirements))
            return
        for candidate in self._distributions(name, requirements):
            yield replace(candidate, identifier=identifier) if extra else candidate

    def kept_first(self, identifier: str, requirements: Collection[Requirement]) -> Iterator[Candidate]:
        """Yield as ``answering`` does, with the version to keep before all others."""
        name = split_extra(identifier)[0]
        if self._is_system(name):
            yield from sorted(self.answering(identifier, requirements), key=self.kept, reverse=True)
            return
        version = self._request.preferred.get(name)
        if version is None:
            yield from self.answering(identifier, requirements)
            return
        kept = Requirement(
            identifier=identifier, level=Level.MUST, range=Range.versions(f"=={version}"), asked_by=LOCK
        )
        yield from filter(self.kept, self.answering(identifier, (*requirements, kept)))
        yield from filterfalse(self.kept, self.answering(identifier, requirements))

    def admitted(
        self,
        identifier: str,
        wanted: Collection[Requirement],
        *,
        best_first: bool = False,
        every: bool = False,
    ) -> Iterator[Candidate]:
        """Yield as ``kept_first`` does, or ``answering`` with ``best_first``, without pre-releases.

        By PEP 440 those count only where one is named, or no final release is within what is asked; one that
        facts alone keep out is within it. ``every`` has them last.
        """
        look = self.answering if best_first else self.kept_first
        open_to_pre = self.open_to_pre_releases(identifier, wanted)
        held_back: list[Candidate] = []
        for candidate in look(identifier, wanted):
            if open_to_pre or not candidate.is_pre_release:
                yield candidate
            else:
                held_back.append(candidate)
        not_facts = [requirement for requirement in wanted if not requirement.fact]
        if held_back and (
            every or all(candidate.is_pre_release for candidate in self.answering(identifier, not_facts))
        ):
            yield from held_back

    def best_first(self, identifier: str, versions: Range) -> Iterator[Candidate]:
        """Yield the candidates in a range that the user requires, best first."""
        wanted = Requirement(identifier=identifier, level=Level.MUST, range=versions, asked_by=YOU)
        return self.admitted(identifier, (wanted,), best_first=True)

    def open_to_pre_releases(self, identifier: str, requirements: Iterable[Requirement]) -> bool:
        """Whether the request or a requirement names a pre-release, so that those count beside final ones."""
        welcome = split_extra(identifier)[0] in self._request.policy.prereleases
        return welcome or any(requirement.names_pre_release for requirement in requirements)

    def left_out(self, name: str, ranges: Collection[Range]) -> Mapping[str, Mapping[str, str]]:
        """Return why releases in some ranges are no candidates: reason -> version -> details."""
        return {} if self._is_system(name) else self._releases(name).left_out(ranges)

    def published(self, name: str) -> tuple[str, ...]:
        """Return every version of a distribution that was published, usable or not, oldest first."""
        return () if self._is_system(name) else self._releases(name).versions()

    def listed(self, name: str) -> Releases:
        """Return what indexes list of a distribution; nothing of what they are not asked about."""
        if self._is_system(name) or name in self._request.direct:
            return Releases.of(())
        return self._catalogue.releases(index_name(name))

    def fixed(self, identifier: str) -> bool:
        """Whether the node decides the component, so that it cannot be absent where the node has it."""
        if identifier == PYTHON:
            return True
        system = self._knowledge.systems.get(identifier)
        return system is not None and system.fixed and bool(self._request.target.offered(identifier))

    def kept(self, candidate: Candidate) -> bool:
        """Whether it is at the version to keep; for a virtual component, whether its member is to be kept."""
        name, preferred = split_extra(candidate.identifier)[0], self._request.preferred
        if name in self._knowledge.systems and self._knowledge.systems[name].members:
            return candidate.version in preferred
        return preferred.get(name) == candidate.version

    def _system(self, name: str) -> Iterator[Candidate]:
        if name == PYTHON:
            yield Candidate(identifier=name, versions=(self._request.interpreter.version,), via=Via.SITE)
            return
        system = self._knowledge.systems[name]
        if system.members:
            yield from self._members(name, system.members)
            return
        offers = self._request.target.offered(name)
        if name in GPUS and offers:
            versions = sorted({offer.version for offer in offers}, key=str if system.words else parse_version)
            yield Candidate(identifier=name, versions=tuple(versions), via=Via.SITE, offer=offers[0])
            return
        ordered = offers if system.words else _newest_first(offers)
        yield from (self._offered(offer) for offer in ordered)
        offered = {offer.version for offer in offers}
        for word in system.choices:
            if word not in offered:
                yield Candidate(identifier=name, versions=(word,), via=Via.SITE)
        for provider in self._knowledge.providers:
            if provider.component == name:
                for carrier in self.of(provider.distribution):
                    if not is_placeholder(carrier.version):
                        yield Candidate(
                            identifier=name, versions=carrier.versions, via=Via.WHEEL, provider=provider
                        )

    def _members(self, name: str, members: Iterable[str]) -> Iterator[Candidate]:
        """Yield members that the site offers before those that only a wheel would bring."""
        at_hand = [member for member in members if self._request.target.offered(member)]
        carried = {provider.component for provider in self._knowledge.providers}
        from_index = [member for member in members if member in carried and member not in at_hand]
        for member in (*at_hand, *from_index):
            yield Candidate(identifier=name, versions=(member,), via=Via.SITE)

    def _offered(self, offer: Offer) -> Candidate:
        return Candidate(
            identifier=offer.component,
            versions=(offer.version,),
            via=Via.SITE,
            prefix=offer.prefix,
            offer=offer,
        )

    def _distributions(self, name: str, requirements: Collection[Requirement]) -> Iterator[Candidate]:
        """Yield the index's releases, then the site's own, which come first if pinned exactly."""
        if name.startswith(OF_NO_COMPONENT):
            return  # no index is to be asked for it
        brought = [
            self._offered(distribution)
            for distribution in self._request.target.distributions
            if distribution.component == name
        ]
        answering = [candidate for candidate in brought if candidate.satisfies(requirements)]
        pinned = self._pinned.get(name)
        first = [found for found in answering if pinned is not None and pinned.contains(found.version)]
        yield from first
        yield from self._releases(name).answering(requirements)
        yield from (candidate for candidate in answering if candidate not in first)

    def _is_system(self, name: str) -> bool:
        return name == PYTHON or name in self._knowledge.systems

    def _releases(self, name: str) -> Ranked:
        if name not in self._ranked:
            pinned, direct = self._pinned.get(name), self._request.direct.get(name)
            opened = (self._reopened(name), name in self._request.withdrawn)
            key = (name, str(pinned or ""), direct, *opened, self._form(name), *self._surroundings)
            if key not in self._shared.ranked:
                releases, as_of = self._of_the_time(name, direct)
                if name in self._request.withdrawn:
                    releases = Releases.of(sorted(releases, key=withdrawn))
                self._shared.ranked[key] = Ranked(
                    self._selection(name, pinned, as_of), releases, self._knowledge
                )
            self._ranked[name] = self._shared.ranked[key]
        return self._ranked[name]

    def _of_the_time(self, name: str, direct: Direct | None) -> tuple[Releases, dt.date | None]:
        """Return the releases in the order of preference, and the cut-off for them.

        What others needed at the time of the pins existed then. Where an index has later files only, the old
        ones were taken away (jaxlib's before 0.4.13, which was uploaded again in 2025), and the oldest is
        nearest. Where the distribution was reopened, later releases come after all those of the time; so
        they do where only they have wheels for an interpreter that had just come out. An index without upload
        days (PEP 700) gives no cut-off. A cut-off that somebody wrote is kept.
        """
        if direct is not None:
            return Releases.of([self._catalogue.named(direct)]), None
        as_of, releases = self._request.as_of, self._catalogue.releases(index_name(name))
        if name in self._carriers or as_of is None:
            return releases, None
        if self._request.era_of_pins:
            oldest = min(filter(None, releases.days), default="")
            if not oldest:
                return releases, None
            if oldest > as_of.isoformat():
                return releases[::-1], None
        if self._reopened(name):
            return later_last(releases, as_of), None
        era = self._era_of_wheels(name, releases, as_of)
        patched = cut_off_with_patches(releases, as_of) if self._request.era_of_pins else as_of
        return (releases, patched) if era is None else (later_last(releases, as_of), era)

    def _era_of_wheels(self, name: str, releases: Releases, as_of: dt.date) -> dt.date | None:
        """Return the interpreter's time, if there are compiled wheels by then, but none by the pins' time."""
        era = era_of_interpreter(self._request.interpreter, self._knowledge)
        if not self._request.era_of_pins or era is None or era <= as_of:
            return None
        timely, later = (next(self._wheels(name, releases, day), None) for day in (as_of, era))
        return era if timely is None and later is not None and compiled(later) else None

    def _wheels(self, name: str, releases: Releases, as_of: dt.date) -> Iterator[DistFile]:
        """Yield the files of final releases up to a day that need not be built."""
        ranked = Ranked(self._selection(name, None, as_of), releases, self._knowledge)
        final = (candidate for candidate in ranked.answering(()) if not candidate.is_pre_release)
        return (found.file for found in final if found.file is not None and found.via is Via.WHEEL)

    def _form(self, name: str) -> Via | None:
        return self._request.policy.forms.of(name, direct=name in self._request.direct)

    def _reopened(self, name: str) -> bool:
        return name in self._request.reopened or EVERYTHING in self._request.reopened

    def _selection(self, name: str, pinned: SpecifierSet | None, as_of: dt.date | None) -> Selection:
        target, interpreter = self._request.target, self._request.interpreter
        return Selection(
            name=name,
            pinned=pinned,
            withdrawn=name in self._request.withdrawn,
            as_of=as_of,
            time=self._request.as_of,
            python=interpreter.version,
            place=f"{interpreter.abi} on {target.machine}",
            supported=supported_tags(target, interpreter),
            gpus=self._gpus,
            form=self._form(name),
        )


def _newest_first(offers: Iterable[Offer]) -> list[Offer]:
    return sorted(offers, key=lambda offer: parse_version(offer.version), reverse=True)
