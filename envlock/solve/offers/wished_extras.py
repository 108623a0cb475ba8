"""Releases from before an extra that the group asks for: they would bring nothing of what it stands for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from packaging.utils import canonicalize_name
from packaging.version import Version

from envlock.model.errors import EnvlockError
from envlock.model.knowing.knowledge import index_name
from envlock.model.locked.pins import YOU
from envlock.model.published.catalogue import Catalogue
from envlock.solve.asks import Ask, Candidate, Mood, split_extra, unusable
from envlock.solve.offers.candidates import Candidates
from envlock.solve.request import Request


class WishedExtras:
    """Finds releases that do not yet have an extra that the group asks for by name.

    ``jax[cuda12]`` is no wish for a JAX that knows no CUDA 12. Where the best release within the group's
    bounds lacks the extra too, it may have become part of the rest: that is only reported, as installers do.
    """

    def __init__(self, request: Request, candidates: Candidates, catalogue: Catalogue) -> None:
        self._candidates = candidates
        self._catalogue = catalogue
        self._ranges = {
            (wish.component, canonicalize_name(extra)): wish.range
            for wish in request.applying
            if wish.requirement is not None
            for extra in wish.requirement.extras
        }
        self._best: dict[str, Candidate | None] = {}

    def not_yet(self, candidate: Candidate) -> Iterator[Ask]:
        """Yield an ask that nothing answers, if a candidate ``name[extra]`` is from before its extra."""
        best = self._best_of(candidate.identifier)
        if best is None or Version(candidate.version) >= Version(best.version) or self._has(candidate):
            return
        name, extra = split_extra(candidate.identifier)
        yield unusable(f"{name} {candidate.version} has no extra {extra!r} yet", str(candidate))

    def _best_of(self, identifier: str) -> Candidate | None:
        """Return the best release that a wish admits, if that has the extra."""
        if identifier not in self._best:
            name, extra = split_extra(identifier)
            versions = self._ranges.get((name, canonicalize_name(extra)))
            best = None
            if versions is not None:
                wish = Ask(identifier=identifier, mood=Mood.MUST, range=versions, asked_by=YOU)
                best = next(self._candidates.admitted(identifier, [wish], best_first=True), None)
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
        return asked in metadata.extras or any(written.search(one.marker) for one in metadata.requires_dist)
