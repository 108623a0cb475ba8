"""The adapter between resolvelib and our candidates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from resolvelib import AbstractProvider, BaseReporter
from resolvelib.resolvers import ResolutionTooDeep

from envlock.model.knowing.facts import Facts
from envlock.solve.dependencies.of_candidates import Dependencies
from envlock.solve.offers.candidates import Candidates
from envlock.solve.requirements import FACT_PREFIX, UNUSABLE_PREFIX, Candidate, Level, Requirement

if TYPE_CHECKING:
    from resolvelib.resolvers.criterion import Criterion
    from resolvelib.structs import RequirementInformation

    Information = RequirementInformation[Requirement, Candidate]

PROMOTED_AFTER = 5
"""Conflicts after which a component is decided early; uv, pip and PDM measured the same threshold."""


class Preference(NamedTuple):
    """How soon a component is decided, least first.

    Attributes:
        free: the node does not decide it.
        unwanted: nothing requires it.
        quiet: it has not been in many conflicts.
        loose: nobody names one version.
        identifier: the component, so that the order is total.
    """

    free: bool
    unwanted: bool
    quiet: bool
    loose: bool
    identifier: str

    @property
    def absent(self) -> bool:
        """Whether it will not be there, so that nothing is left to decide."""
        return self.free and self.unwanted


class Provider(AbstractProvider[Requirement, Candidate, str]):
    """Answers resolvelib's questions from candidates and their requirements.

    ``standing`` requirements hold wherever their component is wanted, and want nothing themselves, such as
    those for what a lock had: a build environment knows fifty of them and needs three, and resolvelib looks
    at all requirements it has been given in every round.

    Attributes:
        all_pre_releases: whether pre-releases count without being named, so that one more requirement never
            leaves more candidates than there were.
        conflicts: how often each component took part in one.
        looks: how often resolvelib has looked for a component's candidates.
    """

    def __init__(
        self,
        candidates: Candidates,
        dependencies: Dependencies,
        standing: Iterable[Requirement] = (),
        *,
        all_pre_releases: bool = False,
    ) -> None:
        self.all_pre_releases = all_pre_releases
        self._candidates = candidates
        self._dependencies = dependencies
        self._matches: dict[tuple[str, frozenset[Requirement]], _Answers] = {}
        self._standing: dict[str, list[Requirement]] = {}
        for requirement in standing:
            self._standing.setdefault(requirement.identifier, []).append(requirement)
        self.conflicts: Counter[str] = Counter()
        self.looks = 0

    def identify(self, requirement_or_candidate: Requirement | Candidate) -> str:
        """Return the identifier of a requirement or a candidate."""
        return requirement_or_candidate.identifier

    def get_preference(
        self,
        identifier: str,
        resolutions: Mapping[str, Candidate],
        candidates: Mapping[str, Iterator[Candidate]],
        information: Mapping[str, Iterator[Information]],
        backtrack_causes: Sequence[Information],
    ) -> Preference:
        """Return when to decide a component, from what resolvelib knows."""
        return self.preference(identifier, [info.requirement for info in information[identifier]])

    def preference(self, identifier: str, requirements: Iterable[Requirement]) -> Preference:
        """Put surroundings first, then frequent conflicts, then pins; what nobody wants comes last."""
        every = (*requirements, *self._standing.get(identifier, ()))
        return Preference(
            not self._candidates.fixed(identifier),
            not any(requirement.level is Level.MUST for requirement in every),
            self.conflicts[identifier] < PROMOTED_AFTER,
            not any(requirement.range.pinned for requirement in every),
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
        """After a conflict, decide first what took part in it."""
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
        requirements: Mapping[str, Iterator[Requirement]],
        incompatibilities: Mapping[str, Iterator[Candidate]],
    ) -> Callable[[], Iterator[Candidate]]:
        """Return candidates that satisfy every requirement, best first."""
        self.looks += 1
        rejected = set(incompatibilities[identifier])
        found = self.best_first(identifier, requirements[identifier])
        if (best := next(iter(found), None)) is not None:
            self.expect(best)
        if not rejected:
            return lambda: iter(found)
        return lambda: (candidate for candidate in found if candidate not in rejected)

    def best_first(self, identifier: str, requirements: Iterable[Requirement]) -> Iterable[Candidate]:
        """Return candidates that satisfy all requirements, standing ones too, searched for one by one."""
        return self.answers(identifier, frozenset((*requirements, *self._standing.get(identifier, ()))))

    def expect(self, candidate: Candidate) -> None:
        """Announce that a candidate's requirements will probably be wanted."""
        self._dependencies.metadata.expect(candidate)

    def answers(self, identifier: str, requirements: frozenset[Requirement]) -> Iterable[Candidate]:
        """Return candidates that satisfy these requirements alone, best first, searched for one by one.

        That is the ABSENT candidate alone where none of them wants the component and the node lacks it.
        """
        if (identifier, requirements) not in self._matches:
            self._matches[identifier, requirements] = _Answers(self._search(identifier, requirements))
        return self._matches[identifier, requirements]

    def _search(self, identifier: str, requirements: frozenset[Requirement]) -> Iterator[Candidate]:
        if identifier.startswith(UNUSABLE_PREFIX):
            return
        if identifier.startswith(FACT_PREFIX):
            yield from self._dependencies.facts.ways(identifier.removeprefix(FACT_PREFIX))
            return
        wanted = any(requirement.level is Level.MUST for requirement in requirements)
        if not wanted and not self._candidates.fixed(identifier):
            yield Candidate(identifier=identifier, versions=())
            return
        yield from self._candidates.admitted(identifier, requirements, every=self.all_pre_releases)

    def dependent(self, identifier: str) -> str:
        """Return the component itself or, for a fact, the one whose candidates require it."""
        if identifier.startswith(FACT_PREFIX):
            return self._dependencies.facts.trigger(identifier.removeprefix(FACT_PREFIX))
        return identifier

    def with_all_pre_releases(self) -> Provider:
        """Return the same provider with all pre-releases, and without standing requirements."""
        return Provider(self._candidates, self._dependencies, all_pre_releases=True)

    @property
    def facts(self) -> Facts:
        """The facts that count."""
        return self._dependencies.facts.known

    def fixed(self, identifier: str) -> bool:
        """Whether the node decides the component, wanted or not."""
        return self._candidates.fixed(identifier)

    def is_satisfied_by(self, requirement: Requirement, candidate: Candidate) -> bool:
        """Whether a candidate satisfies a requirement."""
        return bool(candidate.requirements) or requirement.satisfied_by(candidate)

    def get_dependencies(self, candidate: Candidate) -> Iterable[Requirement]:
        """Return what a candidate requires of others."""
        return self._dependencies.of(candidate)


class _Answers:
    """Candidates that are searched for lazily, and each only once."""

    __slots__ = ("_found", "_rest")

    def __init__(self, rest: Iterator[Candidate]) -> None:
        self._found: list[Candidate] = []
        self._rest = rest

    def __iter__(self) -> Iterator[Candidate]:
        yield from self._found
        position = len(self._found)
        while True:
            while position < len(self._found):  # another reader may have gone further meanwhile
                yield self._found[position]
                position += 1
            candidate = next(self._rest, None)
            if candidate is None:
                return
            self._found.append(candidate)


class Rejections(BaseReporter[Requirement, Candidate, str]):
    """Counts failed attempts, so that the busiest components come first, and ends what takes long."""

    def __init__(self, provider: Provider, *, most_looks: int) -> None:
        self._provider = provider
        self._last_look = provider.looks + most_looks

    def starting_round(self, index: int) -> None:
        """End a search that has looked for candidates too often.

        Raises:
            ResolutionTooDeep: it has.
        """
        if self._provider.looks > self._last_look:
            raise ResolutionTooDeep(index)

    def rejecting_candidate(self, criterion: Criterion[Requirement, Candidate], candidate: Candidate) -> None:
        """Count a candidate that was tried and cannot meet a criterion."""
        met = set(
            chain(
                [candidate.identifier],
                (requirement.identifier for requirement in criterion.iter_requirement()),
            )
        )
        # A fact is there only if its dependent is: deciding the one sooner means deciding the other sooner.
        self._provider.conflicts.update(met | {self._provider.dependent(name) for name in met})
