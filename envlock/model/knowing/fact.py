"""Facts: which combinations do not work, how that is known, and where it was read."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from enum import StrEnum
from typing import NamedTuple

from envlock.model.component import PYTHON, Range, Via, parse_version
from envlock.model.cpython import admits_interpreter
from envlock.model.frozen import dataclass

WARNED_OF = "warned-of:"
"""Prefix of a fact that warns, where a solve goes around what it warns of."""
_TOLD_BY_BRANCH = frozenset({"cuda", "cudnn", "driver"})
"""Components of which people give the first number alone and mean any release that begins with it."""
_LAST = 9999
"""Higher than the second number of any release of theirs."""


class Severity(StrEnum):
    """What a violated fact does to a verdict."""

    REFUSE = "refuse"
    WARN = "warn"
    NOTE = "note"


class Evidence(StrEnum):
    """How a fact is known: somebody ran it, it is documented, joined from sourced facts, or we ran it."""

    REPORTED = "reported"
    DOCUMENTED = "documented"
    DERIVED = "derived"
    VERIFIED_HERE = "verified-here"


class Source(NamedTuple):
    """Where a statement was read, and when; a tuple, because a solve reads a thousand of them."""

    title: str
    checked: dt.date

    def __str__(self) -> str:
        return f"{self.title} (read {self.checked})"

    def document(self) -> dict[str, str]:
        """Return it for programs."""
        return {"title": self.title, "checked": self.checked.isoformat()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """States that two components are released together: their versions have to correspond.

    Attributes:
        component: the component whose version is given.
        numbers: how many leading numbers of its release count; 0 for the whole version without its label.
    """

    component: str
    numbers: int = 0

    def range(self, version: str) -> Range:
        """The versions that are like a version of ``component``."""
        return Range.versions(f"=={self.shared(version)}{'.*' if self.numbers else ''}")

    def shared(self, version: str) -> str:
        """What a version of ``component`` and the versions like it have in common."""
        given = parse_version(version)
        if not self.numbers:
            return given.public
        leading = (*given.release, *(0,) * self.numbers)[: self.numbers]
        epoch = f"{given.epoch}!" if given.epoch else ""
        return f"{epoch}{'.'.join(map(str, leading))}"

    def __str__(self) -> str:
        counted = {0: "", 1: "the first number of "}.get(
            self.numbers, f"the first {self.numbers} numbers of "
        )
        return f"== {counted}{self.component}'s version"


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One component that is inside a range (``when``) or required to be (``then``).

    Attributes:
        component: the component, which includes a distribution's flavours.
        range: its versions or words; every version where ``like`` determines them.
        via: how it came, if the condition covers only what came that way.
        without: flavours that are not covered (``tensorflow-cpu``, where it is about GPUs).
        like: what determines the range, where that is another component's version.
    """

    component: str
    range: Range
    via: Via | None = None
    without: tuple[str, ...] = ()
    like: Likeness | None = None

    def beside(self, version: str) -> Condition:
        """The condition beside a version of the component that determines its range, if one does."""
        return self if self.like is None else replace(self, range=self.like.range(version), like=None)

    def holds(self, version: str, via: Via | None) -> bool:
        """Whether a version that came this way meets the condition; an unknown way meets any."""
        return self._speaks_of(via) and self._includes(version)

    def breaks(self, version: str, via: Via | None) -> bool:
        """Whether such a version is covered and outside the range; one that came another way is not covered.

        A version given by its branch alone (``driver==525``) is outside only if the whole branch is.
        """
        if not self._speaks_of(via) or self._includes(version):
            return False
        branch = self.component in _TOLD_BY_BRANCH and version.isdecimal()
        return not (branch and self.range.contains(f"{version}.{_LAST}"))

    def _includes(self, version: str) -> bool:
        if self.component == PYTHON:
            return admits_interpreter(self.range, version)
        return self.range.contains(version)

    def _speaks_of(self, via: Via | None) -> bool:
        return self.via is None or via is None or via is self.via

    def __str__(self) -> str:
        versions = str(self.like or self.range.text.removeprefix("*"))
        text = f"{self.component} {versions}".rstrip()
        text = f"{text} ({self.via})" if self.via else text
        return f"{text} without {', '.join(self.without)}" if self.without else text


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispute:
    """What another source says against a fact; the fact is the stricter of the two.

    Attributes:
        says: what it says, one sentence without a full stop.
        evidence: how it knows.
        sources: where it was read.
    """

    says: str
    evidence: Evidence
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """When all of ``when`` meet, all of ``then`` must hold for those components that are present.

    An empty ``then`` refuses the combination itself. As a clause: a component of ``when`` is absent or
    outside its range, or every component of ``then`` is absent or inside its range. If ``when`` names a
    single component, its version may determine a range of ``then`` (``Condition.like``).

    Attributes:
        refuses: combinations that it refuses, each as pins separated by spaces (``cuda==10.2 gcc==9``), since
            thousands of tables would have to be made whenever the knowledge base is read.
        accepts: likewise, combinations on which it is silent.
        unless: components of which any one, in any version, silences the fact, because they handle the matter
            in a way of their own.
    """

    id: str
    when: tuple[Condition, ...]
    then: tuple[Condition, ...]
    severity: Severity
    evidence: Evidence
    reason: str
    cause: str
    sources: tuple[Source, ...]
    refuses: tuple[str, ...]
    accepts: tuple[str, ...]
    file: str
    disputed: tuple[Dispute, ...] = ()
    unless: tuple[str, ...] = ()


def pins_of(example: str) -> dict[str, str]:
    """Return component -> version (or word) of an example combination of a fact."""
    return dict(pin.split("==", 1) for pin in example.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Lapsed:
    """A decision to replace or waive a fact that has expired: the fact is in force again."""

    file: str
    fact: str
    owner: str
    expires: dt.date
