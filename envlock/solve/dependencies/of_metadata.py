"""What a distribution's metadata requires, as overrides of the group amend it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from envlock.judging.labels import has_label, of_what_is_published
from envlock.judging.translations import TRANSLATED_SOURCES, outlived
from envlock.model.component import PYTHON, Range
from envlock.model.errors import SurroundingsError
from envlock.model.knowing.knowledge import Knowledge, index_name
from envlock.model.published.catalogue import NEEDS_BUILD, OF_THE_FILE, UNASKED, Catalogue, DistFile
from envlock.model.published.metadata import Dependency, Metadata
from envlock.solve.dependencies.unnamed_places import unnamed_place
from envlock.solve.request import Request, applies, holds
from envlock.solve.requirements import EVERY, Candidate, Level, Requirement, exactly, split_extra, unusable

_UNSTATED = (NEEDS_BUILD, UNASKED)
_NO_NEEDS = Metadata(requires_dist=(), requires_python="", provides_extra=frozenset())


class MetadataRequirements:
    """What metadata requires; no facts have a part in that, so ``known`` may be shared between solves."""

    def __init__(
        self,
        request: Request,
        knowledge: Knowledge,
        catalogue: Catalogue,
        known: dict[tuple[str, str], tuple[Requirement, ...]],
    ) -> None:
        self._request = request
        self._knowledge = knowledge
        self._catalogue = catalogue
        self._known = known
        self._overrides = {override.component: override for override in request.policy.overrides}
        self._numbered_alike = {
            (stand_in.distribution, replaced)
            for stand_in in knowledge.stand_ins
            if stand_in.numbered_alike
            for replaced in stand_in.replaces
        }
        self._holding: dict[tuple[str, str], bool] = {}
        self._expected: set[tuple[str, str]] = set()

    def of(self, candidate: Candidate, file: DistFile) -> tuple[Requirement, ...]:
        """Return what the metadata of a candidate's file requires."""
        key = (candidate.identifier, file.url)
        if key not in self._known:
            self._known[key] = tuple(self._read(candidate, file))
        return self._known[key]

    def expect(self, candidate: Candidate) -> None:
        """Announce that a candidate's metadata will probably be read, and after it what it requires."""
        key = (candidate.identifier, candidate.file.url if candidate.file else "")
        if candidate.file is not None and key not in self._known and key not in self._expected:
            self._expected.add(key)
            name, extra = split_extra(candidate.identifier)
            then = partial(self._look_past, extra)
            self._catalogue.prefetch_metadata(index_name(name), candidate.file, then)

    def _look_past(self, extra: str, metadata: Metadata) -> None:
        """Begin to read the pages that metadata leads to, before anyone gets to decide on it."""
        self._catalogue.prefetch(
            dependency.name for dependency in metadata.requires_dist if self._holds(dependency.marker, extra)
        )

    def _read(self, candidate: Candidate, file: DistFile) -> Iterator[Requirement]:
        try:
            metadata = self._catalogue.metadata(index_name(split_extra(candidate.identifier)[0]), file)
        except SurroundingsError as error:
            if error.code not in OF_THE_FILE or (file.direct and error.code not in _UNSTATED):
                raise
            if error.code != NEEDS_BUILD or not self._request.supposing:
                why = f" ({error.why})" if error.why else ""
                yield unusable(f"{candidate} cannot be taken: {error.message}{why}", str(candidate))
                return
            metadata = _NO_NEEDS
        yield from self._stated(candidate, metadata)

    def _stated(self, candidate: Candidate, metadata: Metadata) -> Iterator[Requirement]:
        """Yield what metadata requires on the request's interpreter."""
        name, extra = split_extra(candidate.identifier)
        by = str(candidate)
        if metadata.translated and TRANSLATED_SOURCES not in self._request.waived:
            there = self._request.interpreter.version
            if found := outlived(name, candidate.version, metadata.translated, there, self._knowledge):
                yield unusable(f"{by} cannot be built: {found[0]}", by)
                return
        if extra:
            yield exactly(name, candidate.version, by)
        elif metadata.requires_python:
            versions = Range.versions(metadata.requires_python)
            yield Requirement(identifier=PYTHON, level=Level.MUST, range=versions, asked_by=by)
        wanted = []
        for dependency in metadata.requires_dist:
            if not self._holds(dependency.marker, extra):
                continue
            if extra and self._holds(dependency.marker, ""):
                continue  # the distribution without the extra requires it already
            wanted.append(dependency.name)
            yield from self._of_dependency(dependency, by)
        self._catalogue.prefetch(wanted)

    def _holds(self, marker: str, extra: str) -> bool:
        """Evaluate as ``holds`` does, once: the same markers are written in many files."""
        if (marker, extra) not in self._holding:
            self._holding[marker, extra] = holds(marker, self._request.interpreter, extra)
        return self._holding[marker, extra]

    def _of_dependency(self, dependency: Dependency, by: str) -> Iterator[Requirement]:
        """Yield what metadata requires of one distribution, or what the group's override requires instead."""
        identifier = self._knowledge.distribution(dependency.name)
        specifier, extras, reason = dependency.specifier, frozenset(dependency.extras), ""
        if override := self._overrides.get(identifier):
            if not applies(override.requirement, self._request.interpreter):
                return
            specifier, reason = str(override.requirement.specifier), override.reason
            extras = extras | override.requirement.extras
        elif dependency.url and identifier not in self._request.direct:
            yield unusable(unnamed_place(by, dependency), by)
            return
        versions = Range.versions(self._of_what_is_published(identifier, specifier))
        if instead := self._request.stand_ins.get(identifier):
            versions = versions if (instead, identifier) in self._numbered_alike else EVERY
            identifier = instead
        for name in (identifier, *(f"{identifier}[{canonicalize_name(extra)}]" for extra in sorted(extras))):
            yield Requirement(identifier=name, level=Level.MUST, range=versions, asked_by=by, override=reason)

    def _of_what_is_published(self, identifier: str, specifier: str) -> str:
        """Rewrite as ``labels.of_what_is_published``; the listing is read only where a label is named."""
        if not has_label(specifier) or identifier in self._request.direct:
            return specifier
        published = self._catalogue.releases(index_name(identifier)).texts
        return str(of_what_is_published(SpecifierSet(specifier), published))
