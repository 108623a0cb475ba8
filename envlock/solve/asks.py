"""What components ask of each other during a solve, and the candidates that answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
"""Who asks that what was locked before stays."""
EVERY = Range.versions("")
"""Any version at all."""


class Mood(Enum):
    """How much is asked of a component."""

    MUST = "must be there, inside the range"
    MAY = "may be absent, else inside the range"
    NOT = "must be absent or outside the range"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One requirement on one identifier.

    Attributes:
        identifier: the component, ``name[extra]``, ``fact:ID`` or ``unusable:WHY``.
        mood: how much is asked.
        range: the versions meant.
        via: the way of getting there that is meant; any if ``None``.
        asked_by: ``you``, a component with its version, or ``fact:ID``.
        exact: whether the user pinned exactly this version.
        override: the reason of an override, where one asks in place of metadata.
        because: why it is asked, where the knowledge base asks and not metadata.
    """

    identifier: str
    mood: Mood
    range: Range
    asked_by: str
    via: Via | None = None
    exact: bool = False
    override: str = ""
    because: str = ""
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Compute the hash once: sets of asks are looked up at every step of a solve."""
        hashed = hash((self.identifier, self.mood.name, self.range.text, self.asked_by, self.via))
        object.__setattr__(self, "_hash", hashed)

    def __hash__(self) -> int:
        return self._hash

    @property
    def fact(self) -> str:
        """The fact that asks; empty where none does."""
        return self.asked_by.removeprefix(FACT_PREFIX) if self.asked_by.startswith(FACT_PREFIX) else ""

    @property
    def names_pre_release(self) -> bool:
        """Whether it names a pre-release as something wanted, and so opens the component to pre-releases."""
        naming = self.mood is Mood.MUST or self.asked_by == CONSTRAINT
        return naming and self.range.names_pre_release

    def satisfied_by(self, candidate: Candidate) -> bool:
        """Whether a candidate of the same identifier satisfies the ask."""
        if not candidate.versions:
            return self.mood is not Mood.MUST
        if self.via is not None and candidate.via is not None and self.via is not candidate.via:
            return self.mood is not Mood.MUST
        contains = self.range.contains
        if self.identifier == PYTHON:
            return admits_interpreter(self.range, candidate.versions[0]) is not (self.mood is Mood.NOT)
        if len(candidate.versions) == 1:
            return contains(candidate.versions[0]) is not (self.mood is Mood.NOT)
        if self.mood is Mood.NOT:
            return not any(map(contains, candidate.versions))
        return all(map(contains, candidate.versions))

    def __str__(self) -> str:
        prefix = {Mood.MUST: "", Mood.MAY: "if present, ", Mood.NOT: "not "}[self.mood]
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
        asks: for a way of satisfying a fact, what that way asks.
    """

    identifier: str
    versions: tuple[str, ...]
    via: Via | None = None
    prefix: str = ""
    file: DistFile | None = field(default=None, compare=False)
    parsed: Version | None = field(default=None, compare=False)
    offer: Offer | None = field(default=None, compare=False)
    provider: Provider | None = field(default=None, compare=False)
    asks: tuple[Ask, ...] = ()
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Compute the hash once, as for asks."""
        hashed = hash((self.identifier, self.versions, self.via, self.prefix, self.asks))
        object.__setattr__(self, "_hash", hashed)

    def __hash__(self) -> int:
        return self._hash

    @property
    def absent(self) -> bool:
        """Whether this is the ABSENT candidate: "it is not there"."""
        return not self.versions

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


def unusable(candidate: str, asked_by: str) -> Ask:
    """Return an ask that nothing answers: the candidate cannot be had, whatever else is chosen."""
    return Ask(identifier=f"{UNUSABLE_PREFIX}{candidate}", mood=Mood.MUST, range=EVERY, asked_by=asked_by)


def exactly(identifier: str, version: str, asked_by: str) -> Ask:
    """Return an ask for one version and no other."""
    return Ask(identifier=identifier, mood=Mood.MUST, range=Range.only(version), asked_by=asked_by)


def held_asks(held: Mapping[str, str], asked_by: str) -> Iterator[Ask]:
    """Yield asks that hold components at one version each, if they are there at all."""
    for identifier, version in held.items():
        yield Ask(
            identifier=identifier,
            mood=Mood.MAY,
            range=Range.only(version),
            asked_by=asked_by,
        )
