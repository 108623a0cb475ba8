"""What keeps the best release of a wish from an interpreter that has a file of it: what it requires.

Python 3.13 can use the wheel of allennlp 2.10.1, but none of PyTorch before 1.13, which this requires. An
answer would have an ancient allennlp from before it required anything of the kind, after a long search.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from packaging.utils import canonicalize_name
from packaging.version import Version

from envlock.model.frozen import dataclass
from envlock.model.project.group import Wish
from envlock.model.published.catalogue import DistFile
from envlock.solve.requirements import UNUSABLE_PREFIX, Candidate, Requirement
from envlock.solve.searching.solver import Solver


@dataclass(frozen=True, slots=True, kw_only=True)
class Hindrance:
    """Something that a wish's best release requires and of which an interpreter has nothing usable.

    Attributes:
        wish: the wish, as it is written.
        release: its best release.
        required: what that requires.
    """

    wish: str
    release: Candidate
    required: Requirement

    def is_answered_by(self, had: Mapping[str, str]) -> bool:
        """Whether among the releases that other interpreters can have of the wishes one is as new."""
        return self.wish in had and Version(had[self.wish]) >= Version(self.release.version)

    def __str__(self) -> str:
        return f"{self.required}, which {self.release} requires"


def hindrances(best: Mapping[Wish, Candidate], solver: Solver) -> Iterator[Hindrance]:
    """Yield what hinders the best releases of wishes, at most once for each.

    Only wheels that are for every interpreter are looked into. There are others for those interpreters alone
    that had wheels of the dependencies as well, and reading one for each interpreter would take long.
    """
    looked_into = {
        wish: candidate
        for wish, candidate in best.items()
        if candidate.file is not None and _is_for_every_interpreter(candidate.file)
    }
    for candidate in looked_into.values():
        solver.metadata.expect(candidate)
    for wish, candidate in looked_into.items():
        unmet = (asked for asked in _required(wish, candidate, solver) if not _is_met(asked, solver))
        if (asked := next(unmet, None)) is not None:
            yield Hindrance(wish=wish.text, release=candidate, required=asked)


def _is_for_every_interpreter(file: DistFile) -> bool:
    return any(tag.abi == "none" and tag.platform == "any" for tag in file.tags)


def _required(wish: Wish, candidate: Candidate, solver: Solver) -> Iterator[Requirement]:
    """Yield what the metadata of a release requires, with the extras that the wish names."""
    extras = wish.requirement.extras if wish.requirement is not None else ()
    for name in (wish.component, *(f"{wish.component}[{canonicalize_name(extra)}]" for extra in extras)):
        if candidate.file is not None:
            yield from solver.metadata.of(replace(candidate, identifier=name), candidate.file)


def _is_met(asked: Requirement, solver: Solver) -> bool:
    """Whether anything usable meets a requirement; what is unusable by itself is so for all interpreters."""
    if asked.identifier.startswith(UNUSABLE_PREFIX):
        return True
    return any(True for _ in solver.candidates.admitted(asked.identifier, (asked,), best_first=True))
