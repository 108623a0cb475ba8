"""The adapter between resolvelib and our candidates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from resolvelib import AbstractProvider, BaseReporter

from envlock.solve.asks import FACT_PREFIX, UNUSABLE_PREFIX, Ask, Candidate, Mood
from envlock.solve.candidates import Candidates
from envlock.solve.dependencies import Dependencies

if TYPE_CHECKING:
    from resolvelib.resolvers.criterion import Criterion
    from resolvelib.structs import RequirementInformation

    Information = RequirementInformation[Ask, Candidate]

_PROMOTED_AFTER = 5
"""Conflicts after which a component is decided early; uv, pip and PDM measured the same threshold."""


class Provider(AbstractProvider[Ask, Candidate, str]):
    """Answers resolvelib's questions from candidates and their asks."""

    def __init__(self, candidates: Candidates, dependencies: Dependencies) -> None:
        self._candidates = candidates
        self._dependencies = dependencies
        self._matches: dict[tuple[str, frozenset[Ask]], tuple[Candidate, ...]] = {}
        self.conflicts: Counter[str] = Counter()

    def identify(self, requirement_or_candidate: Ask | Candidate) -> str:
        """The identifier of an ask or a candidate."""
        return requirement_or_candidate.identifier

    def get_preference(
        self,
        identifier: str,
        resolutions: Mapping[str, Candidate],
        candidates: Mapping[str, Iterator[Candidate]],
        information: Mapping[str, Iterator[Information]],
        backtrack_causes: Sequence[Information],
    ) -> tuple[bool, bool, bool, bool, str]:
        """Surroundings first, then what conflicts often, then pins; what nobody wants comes last."""
        asks = [info.requirement for info in information[identifier]]
        wanted = any(ask.mood is Mood.MUST for ask in asks)
        pinned = any(ask.range.text.startswith("==") and "*" not in ask.range.text for ask in asks)
        return (
            not self._candidates.fixed(identifier),
            not wanted,
            self.conflicts[identifier] < _PROMOTED_AFTER,
            not pinned,
            identifier,
        )

    def narrow_requirement_selection(
        self,
        identifiers: Iterable[str],
        resolutions: Mapping[str, Candidate],
        candidates: Mapping[str, Iterator[Candidate]],
        information: Mapping[str, Iterator[Information]],
        backtrack_causes: Sequence[Information],
    ) -> Iterable[str]:
        """After a conflict, decide what took part in it first."""
        names = list(identifiers)
        causes = {
            name
            for info in backtrack_causes
            for name in (info.requirement.identifier, info.parent.identifier if info.parent else "")
        }
        return [name for name in names if name in causes] or names

    def find_matches(
        self,
        identifier: str,
        requirements: Mapping[str, Iterator[Ask]],
        incompatibilities: Mapping[str, Iterator[Candidate]],
    ) -> Sequence[Candidate]:
        """Candidates that answer every ask, best first."""
        asks = frozenset(requirements[identifier])
        rejected = set(incompatibilities[identifier])
        found = self.answers(identifier, asks)
        return [candidate for candidate in found if candidate not in rejected]

    def answers(self, identifier: str, asks: frozenset[Ask]) -> tuple[Candidate, ...]:
        """Candidates that answer every ask, best first; absence where nobody wants it."""
        if identifier.startswith(UNUSABLE_PREFIX):
            return ()
        if identifier.startswith(FACT_PREFIX):
            return self._dependencies.ways(identifier.removeprefix(FACT_PREFIX))
        if (identifier, asks) not in self._matches:
            self._matches[identifier, asks] = tuple(self._search(identifier, asks))
        return self._matches[identifier, asks]

    def _search(self, identifier: str, asks: frozenset[Ask]) -> Iterator[Candidate]:
        wanted = any(ask.mood is Mood.MUST for ask in asks)
        if not wanted and not self._candidates.fixed(identifier):
            yield Candidate(identifier=identifier, versions=())
            return
        open_to_pre = any(_names_pre_release(ask) for ask in asks)
        pool = [
            candidate
            for candidate in self._candidates.of(identifier)
            if all(ask.satisfied_by(candidate) for ask in asks)
        ]
        final = [candidate for candidate in pool if not _is_pre_release(candidate)]
        # PEP 440: pre-releases answer only who names one, or where nothing else is there.
        allowed = pool if open_to_pre or not final else final
        yield from sorted(allowed, key=lambda candidate: not self._candidates.kept(candidate))

    def fixed(self, identifier: str) -> bool:
        """Whether the node decides the component, wanted or not."""
        return self._candidates.fixed(identifier)

    def is_satisfied_by(self, requirement: Ask, candidate: Candidate) -> bool:
        """Whether a candidate answers an ask."""
        return bool(candidate.asks) or requirement.satisfied_by(candidate)

    def get_dependencies(self, candidate: Candidate) -> Iterable[Ask]:
        """What a candidate asks of others."""
        return self._dependencies.of(candidate)


class Rejections(BaseReporter[Ask, Candidate, str]):
    """Counts what was tried in vain, so that the busiest are decided first."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider

    def rejecting_candidate(self, criterion: Criterion[Ask, Candidate], candidate: Candidate) -> None:
        """A candidate was tried and met a criterion that it cannot meet."""
        met = chain([candidate.identifier], (ask.identifier for ask in criterion.iter_requirement()))
        self._provider.conflicts.update(set(met))


def _names_pre_release(ask: Ask) -> bool:
    return ask.mood is Mood.MUST and ask.range.names_pre_release


def _is_pre_release(candidate: Candidate) -> bool:
    return candidate.parsed is not None and candidate.parsed.is_prerelease
