"""What components require of each other during a solve, and the candidates that may meet it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from enum import Enum

from packaging.version import Version

from envlock.model.component import PYTHON, Range, Via
from envlock.model.cpython import admits_interpreter
from envlock.model.frozen import dataclass
from envlock.model.knowing.carried import Provider
from envlock.model.locked.pins import CONSTRAINT
from envlock.model.project.target import Offer
from envlock.model.published.catalogue import DistFile

FACT_PREFIX = "fact:"
UNUSABLE_PREFIX = "unusable:"
OF_NO_COMPONENT = (FACT_PREFIX, UNUSABLE_PREFIX)
"""How identifiers begin that name nothing with a version."""
LOCK = "the lock"
"""Who requires that what was locked before stays."""
EVERY = Range.versions("")
"""Any version at all."""


class Level(Enum):
    """How strongly something is required (the words are those of RFC 2119)."""

    MUST = "must be there, inside the range"
    MAY = "may be absent, else inside the range"
    MUST_NOT = "must be absent or outside the range"


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One requirement on one identifier.

    Attributes:
        identifier: the component, ``name[extra]``, ``fact:ID`` or ``unusable:WHY``.
        level: how strongly.
        range: the versions meant.
        via: the form in which it is meant, such as a wheel; any if ``None``.
        asked_by: ``you``, a component with its version, or ``fact:ID``.
        exact: whether the user pinned exactly this version.
        override: the reason of the override that replaces what metadata requires, if one does.
        because: why it is required, where the knowledge base says so and not metadata.
    """

    identifier: str
    level: Level
    range: Range
    asked_by: str
    via: Via | None = None
    exact: bool = False
    override: str = ""
    because: str = ""
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Compute the hash once: sets of requirements are looked up at every step of a solve."""
        hashed = hash((self.identifier, self.level.name, self.range.text, self.asked_by, self.via))
        object.__setattr__(self, "_hash", hashed)

    def __hash__(self) -> int:
        return self._hash

    @property
    def component(self) -> str:
        """The component that is required: the identifier without an extra."""
        return split_extra(self.identifier)[0]

    @property
    def dependent(self) -> str:
        """The identifier of what requires it, without its version."""
        return self.asked_by.partition(" ")[0]

    @property
    def fact_name(self) -> str:
        """The name of the fact in the knowledge base, where a solve numbers what it learns of that."""
        return self.fact.partition("#")[0]

    @property
    def fact(self) -> str:
        """The fact that requires it; empty where none does."""
        return self.asked_by.removeprefix(FACT_PREFIX) if self.asked_by.startswith(FACT_PREFIX) else ""

    @property
    def names_pre_release(self) -> bool:
        """Whether it names a pre-release as something wanted, and so opens the component to pre-releases."""
        naming = self.level is Level.MUST or self.asked_by == CONSTRAINT
        return naming and self.range.names_pre_release

    def satisfied_by(self, candidate: Candidate) -> bool:
        """Whether a candidate of the same identifier satisfies the requirement."""
        if not candidate.versions:
            return self.level is not Level.MUST
        if self.via is not None and candidate.via is not None and self.via is not candidate.via:
            return self.level is not Level.MUST
        contains = self.range.contains
        if self.identifier == PYTHON:
            return admits_interpreter(self.range, candidate.versions[0]) is not (self.level is Level.MUST_NOT)
        if len(candidate.versions) == 1:
            return contains(candidate.versions[0]) is not (self.level is Level.MUST_NOT)
        if self.level is Level.MUST_NOT:
            return not any(map(contains, candidate.versions))
        return all(map(contains, candidate.versions))

    def __str__(self) -> str:
        prefix = {Level.MUST: "", Level.MAY: "if present, ", Level.MUST_NOT: "not "}[self.level]
        return f"{prefix}{self.identifier.removeprefix(UNUSABLE_PREFIX)} {self.range.text}".rstrip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One possible answer for an identifier.

    Attributes:
        identifier: what it answers for.
        versions: its version; several for GPU generations of a mixed target, all of which count; none for the
            ABSENT candidate.
        via: how it would come to be there.
        prefix: where a system component is installed; tells two of the same version apart.
        file: the distribution file that would be installed or built.
        parsed: the distribution's version, parsed.
        offer: the node's or site's offer behind a system component.
        provider: the distribution of the index that would carry a system component.
        requirements: for a way of satisfying a fact, what that way requires.
    """

    identifier: str
    versions: tuple[str, ...]
    via: Via | None = None
    prefix: str = ""
    file: DistFile | None = field(default=None, compare=False)
    parsed: Version | None = field(default=None, compare=False)
    offer: Offer | None = field(default=None, compare=False)
    provider: Provider | None = field(default=None, compare=False)
    requirements: tuple[Requirement, ...] = ()
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Compute the hash once, as for requirements."""
        hashed = hash((self.identifier, self.versions, self.via, self.prefix, self.requirements))
        object.__setattr__(self, "_hash", hashed)

    def __hash__(self) -> int:
        return self._hash

    @property
    def absent(self) -> bool:
        """Whether this is the ABSENT candidate: "it is not there"."""
        return not self.versions

    def satisfies(self, requirements: Iterable[Requirement]) -> bool:
        """Whether it satisfies every requirement of some on its identifier."""
        return all(requirement.satisfied_by(self) for requirement in requirements)

    @property
    def is_pre_release(self) -> bool:
        """Whether it is a distribution's pre-release."""
        return self.parsed is not None and self.parsed.is_prerelease

    @property
    def version(self) -> str:
        """The version, the lowest of several; empty when absent."""
        return self.versions[0] if self.versions else ""

    def __str__(self) -> str:
        return f"{self.identifier} {self.version}" if self.versions else f"no {self.identifier}"


def split_extra(identifier: str) -> tuple[str, str]:
    """Split ``name[extra]`` into its two parts; a plain identifier has an empty extra."""
    name, bracket, rest = identifier.partition("[")
    return (name, rest[:-1]) if bracket else (name, "")


def unusable(candidate: str, asked_by: str) -> Requirement:
    """Return a requirement that nothing meets: the candidate cannot be had, whatever else is chosen."""
    return Requirement(
        identifier=f"{UNUSABLE_PREFIX}{candidate}", level=Level.MUST, range=EVERY, asked_by=asked_by
    )


def exactly(identifier: str, version: str, asked_by: str) -> Requirement:
    """Return a requirement for one version and no other."""
    return Requirement(identifier=identifier, level=Level.MUST, range=Range.only(version), asked_by=asked_by)


def held_requirements(held: Mapping[str, str], asked_by: str) -> Iterator[Requirement]:
    """Yield requirements that hold components at one version each, if they are there at all."""
    for identifier, version in held.items():
        yield Requirement(
            identifier=identifier,
            level=Level.MAY,
            range=Range.only(version),
            asked_by=asked_by,
        )
