"""Releases from before an extra that the group asks for: they would bring nothing of what it stands for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from packaging.utils import canonicalize_name
from packaging.version import Version

from envlock.model.errors import EnvlockError
from envlock.model.knowing.knowledge import Knowledge, index_name
from envlock.model.published.catalogue import Catalogue
from envlock.solve.offers.candidates import Candidates
from envlock.solve.offers.shared import Shared
from envlock.solve.request import Request
from envlock.solve.requirements import Candidate, Requirement, split_extra, unusable


class RequestedExtras:
    """Finds releases that do not yet have an extra that the group asks for by name.

    ``jax[cuda12]`` is no wish for a JAX that knows no CUDA 12, nor one for the Python of its time. Where the
    best release within the group's bounds lacks the extra too, it may have become part of the rest: that is
    only reported, as installers do.
    """

    def __init__(self, request: Request, candidates: Candidates, catalogue: Catalogue) -> None:
        self._since = request.extras
        self._candidates = candidates
        self._catalogue = catalogue
        self._ranges = {
            (wish.component, canonicalize_name(extra)): wish.range
            for wish in request.applying
            if wish.requirement is not None
            for extra in wish.requirement.extras
        }
        self._best: dict[str, Candidate | None] = {}

    def not_yet(self, candidate: Candidate) -> Iterator[Requirement]:
        """Yield a requirement that nothing meets, if a candidate ``name[extra]`` predates its extra."""
        best = self._best_of(candidate.identifier)
        versions = [self._since.get(candidate.identifier, ""), best.version if best else ""]
        bests = [Version(version) for version in versions if version]
        if not bests or Version(candidate.version) >= max(bests) or self._has(candidate):
            return
        name, extra = split_extra(candidate.identifier)
        yield unusable(f"{name} {candidate.version} has no extra {extra!r} yet", str(candidate))

    def bests(self) -> Iterator[tuple[str, str]]:
        """Yield each ``name[extra]`` that the group asks for, with the best release, where that has it."""
        for name, extra in self._ranges:
            if (best := self._best_of(f"{name}[{extra}]")) is not None:
                yield best.identifier, best.version

    def _best_of(self, identifier: str) -> Candidate | None:
        """Return the best release that a wish admits, if that has the extra."""
        if identifier not in self._best:
            name, extra = split_extra(identifier)
            versions = self._ranges.get((name, canonicalize_name(extra)))
            best = None
            if versions is not None:
                best = next(self._candidates.best_first(identifier, versions), None)
            self._best[identifier] = best if best is not None and self._has(best) else None
        return self._best[identifier]

    def _has(self, candidate: Candidate) -> bool:
        """Whether a release has its extra; assumed without metadata. Old ones name it in markers only."""
        name, extra = split_extra(candidate.identifier)
        if candidate.file is None:
            return True
        try:
            metadata = self._catalogue.metadata(index_name(name), candidate.file)
        except EnvlockError:
            return True
        written = re.compile(f"""["']{re.escape(extra)}["']""")
        asked = canonicalize_name(extra)
        return asked in metadata.extras or any(
            written.search(dependency.marker) for dependency in metadata.requires_dist
        )


def newest_with_extras(
    requests: Iterable[Request], knowledge: Knowledge, catalogue: Catalogue, shared: Shared
) -> Mapping[str, str]:
    """Map each ``name[extra]`` that a group asks for to the newest of the best releases that have it.

    Args:
        requests: the group's request for each interpreter that it leaves open.
        knowledge: the knowledge base.
        catalogue: what the indexes offer.
        shared: what other solves have worked out.
    """
    newest: dict[str, str] = {}
    for request in requests:
        if not any(wish.requirement and wish.requirement.extras for wish in request.applying):
            continue  # as most: nothing need be looked at
        candidates = Candidates(request, knowledge, catalogue, shared)
        for identifier, version in RequestedExtras(request, candidates, catalogue).bests():
            newest[identifier] = max(version, newest.get(identifier, version), key=Version)
    return newest
