"""Candidates for every identifier, in the order in which the solver should try them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from envlock.model.catalogue import Catalogue, DistFile, Release
from envlock.model.component import Via
from envlock.model.knowledge import Knowledge, index_name
from envlock.model.target import Offer
from envlock.solve.asks import Ask, Candidate, split_extra
from envlock.solve.gpu import runs_on
from envlock.solve.request import Request, exact_version
from envlock.solve.tags import supported_tags

PYTHON = "python"
GPU_GENERATION = "gpu_cc"


class Shared:
    """What solves over one catalogue and one knowledge base need not work out twice.

    Attributes:
        lists: name, exact pin and surroundings -> candidates, and why releases were left out.
        metadata_asks: interpreter and candidate -> what its metadata asks.
    """

    def __init__(self) -> None:
        self.lists: dict[tuple[str, ...], tuple[tuple[Candidate, ...], dict[str, int]]] = {}
        self.metadata_asks: dict[str, dict[Candidate, tuple[Ask, ...]]] = {}


class Candidates:
    """Every usable candidate of an identifier, best first; each list is made once.

    Attributes:
        excluded: distribution -> why releases were left out before solving, for refusals.
    """

    def __init__(self, request: Request, knowledge: Knowledge, catalogue: Catalogue, shared: Shared) -> None:
        self._request = request
        self._shared = shared
        self._knowledge = knowledge
        self._catalogue = catalogue
        self._ranks = supported_tags(request.target, request.interpreter)
        self._known: dict[str, tuple[Candidate, ...]] = {}
        self._carriers = {provider.distribution for provider in knowledge.providers}
        self._pinned = {
            wish.component: wish.requirement.specifier
            for wish in request.wishes
            if wish.requirement is not None and exact_version(wish.requirement.specifier)
        }
        self.excluded: dict[str, dict[str, int]] = {}
        self._gpus = tuple(offer.version for offer in request.target.offered(GPU_GENERATION))
        target, interpreter = request.target, request.interpreter
        place = (target.machine, target.glibc, interpreter.version, interpreter.abi, str(request.as_of))
        self._surroundings = (*place, *self._gpus)

    def of(self, identifier: str) -> tuple[Candidate, ...]:
        """All candidates of a component or of ``name[extra]``; none if there is no such thing."""
        if identifier not in self._known:
            name, extra = split_extra(identifier)
            if extra:
                found = tuple(replace(candidate, identifier=identifier) for candidate in self.of(name))
            elif name == PYTHON or name in self._knowledge.systems:
                found = tuple(self._system(name))
            else:
                found = self._distribution(name)
            self._known[identifier] = found
        return self._known[identifier]

    def fixed(self, identifier: str) -> bool:
        """Whether the node decides the component, so that it cannot be absent where the node has it."""
        if identifier == PYTHON:
            return True
        system = self._knowledge.systems.get(identifier)
        return system is not None and system.fixed and bool(self._request.target.offered(identifier))

    def names(self) -> list[str]:
        """Names that the knowledge base or the request speaks of: what a misspelt one may have meant."""
        known = {*self._knowledge.coverage, *self._knowledge.systems, *self._knowledge.flavours}
        known.update(bundle.distribution for bundle in self._knowledge.bundles)
        known.update(condition.component for fact in self._knowledge.facts for condition in fact.when)
        return sorted(known)

    def kept(self, candidate: Candidate) -> bool:
        """Whether it is at the version to keep; of a virtual component, whether a member is to be kept."""
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
        if name == GPU_GENERATION and offers:
            versions = sorted({offer.version for offer in offers}, key=Version)
            yield Candidate(identifier=name, versions=tuple(versions), via=Via.SITE, offer=offers[0])
            return
        ordered = offers if system.words else _newest_first(offers)
        yield from (self._offered(offer) for offer in ordered)
        for provider in self._knowledge.providers:
            if provider.component == name:
                for carrier in self.of(provider.distribution):
                    yield Candidate(
                        identifier=name, versions=carrier.versions, via=Via.WHEEL, provider=provider
                    )

    def _members(self, name: str, members: Iterable[str]) -> Iterator[Candidate]:
        """Members that the site offers come before those that only a wheel would bring."""
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

    def _distribution(self, name: str) -> tuple[Candidate, ...]:
        key = (name, str(self._pinned.get(name, "")), *self._surroundings)
        if key not in self._shared.lists:
            usable = [
                candidate
                for release in self._catalogue.releases(index_name(name))
                if (candidate := self._candidate(name, release)) is not None
            ]
            usable.sort(key=self._order, reverse=True)
            self._shared.lists[key] = tuple(usable), self.excluded.get(name, {})
        found, excluded = self._shared.lists[key]
        if excluded:
            self.excluded[name] = excluded
        return found

    def _order(self, candidate: Candidate) -> tuple[bool, bool, Version]:
        """Builds that suit the GPUs first, then wheels before sdists, then the newest."""
        version = candidate.parsed
        assert version is not None  # noqa: S101 - distributions always have one
        for_cpu = version.local == "cpu"
        suits = for_cpu != self._request.target.has_gpu
        return (
            suits if for_cpu or self._request.target.has_gpu else False,
            candidate.via is Via.WHEEL,
            version,
        )

    def _candidate(self, name: str, release: Release) -> Candidate | None:
        pinned = self._pinned.get(name)
        exact = pinned is not None and pinned.contains(release.version, prereleases=True)
        files = [file for file in release.files if self._published(name, file, exact=exact)]
        file = self._best_file(name, files)
        if file is None:
            return None
        version = str(release.version)
        via = Via.WHEEL if file.is_wheel else Via.BUILD
        bundle = self._knowledge.bundle(name, version) if file.is_wheel else None
        if bundle is not None and not all(runs_on(gpu, bundle.compute_capabilities) for gpu in self._gpus):
            self._exclude(name, "has no machine code for the GPUs")
            return None
        return Candidate(identifier=name, versions=(version,), via=via, file=file, parsed=release.version)

    def _published(self, name: str, file: DistFile, *, exact: bool) -> bool:
        if file.yanked is not None and not exact:
            self._exclude(name, "yanked")
            return False
        as_of = self._request.as_of
        if as_of is None or exact or name in self._carriers:
            return True
        if file.upload_time is not None and file.upload_time.date() <= as_of:
            return True
        self._exclude(name, f"published after {as_of}" if file.upload_time else "of unknown date")
        return False

    def _best_file(self, name: str, files: list[DistFile]) -> DistFile | None:
        """The wheel with the best tag, the highest build number deciding; else the sdist."""
        python = self._request.interpreter.version
        allowed = [file for file in files if _admits(file.requires_python, python)]
        if files and not allowed:
            self._exclude(name, f"not for Python {python}")
        best: tuple[int, tuple[int, str] | tuple[()], DistFile] | None = None
        for file in allowed:
            ranks = [self._ranks[tag] for tag in file.tags if tag in self._ranks]
            if ranks and (best is None or (-min(ranks), file.build) > (-best[0], best[1])):
                best = (min(ranks), file.build, file)
        if best is not None:
            return best[2]
        sdist = next((file for file in allowed if not file.is_wheel), None)
        if allowed and sdist is None:
            abi = self._request.interpreter.abi
            self._exclude(name, f"no wheel for {abi} on {self._request.target.machine} and no sdist")
        return sdist

    def _exclude(self, name: str, why: str) -> None:
        reasons = self.excluded.setdefault(name, {})
        reasons[why] = reasons.get(why, 0) + 1


def _newest_first(offers: Iterable[Offer]) -> list[Offer]:
    return sorted(offers, key=lambda offer: Version(offer.version), reverse=True)


@cache
def _admits(requires_python: str, version: str) -> bool:
    """Whether ``Requires-Python`` admits an interpreter."""
    return not requires_python or SpecifierSet(requires_python).contains(version, prereleases=True)
