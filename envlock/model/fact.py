"""Facts: which combinations do not work, how that is known, and where it was read."""

from __future__ import annotations

import datetime as dt
from enum import StrEnum

from envlock.model.component import Range, Via
from envlock.model.frozen import dataclass


class Severity(StrEnum):
    """What a violated fact does to a verdict."""

    REFUSE = "refuse"
    WARN = "warn"
    NOTE = "note"


class Evidence(StrEnum):
    """How a fact is known: it was run, documented, joined from sourced facts, or run by us."""

    REPORTED = "reported"
    DOCUMENTED = "documented"
    DERIVED = "derived"
    VERIFIED_HERE = "verified-here"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a statement was read, and when."""

    title: str
    checked: dt.date


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One component inside (``when``) or required inside (``then``) a range.

    Attributes:
        component: the component; a distribution's flavours count as it.
        range: its versions, or words.
        via: the way it came, where only those that came so are spoken of.
        without: flavours that are not spoken of (``tensorflow-cpu``, where it is about GPUs).
    """

    component: str
    range: Range
    via: Via | None = None
    without: tuple[str, ...] = ()

    def holds(self, version: str, via: Via | None) -> bool:
        """Whether a version that came by a way meets the condition; an unknown way meets any."""
        return self._speaks_of(via) and self.range.contains(version)

    def breaks(self, version: str, via: Via | None) -> bool:
        """Whether such a version is spoken of and outside; one that came another way is neither."""
        return self._speaks_of(via) and not self.range.contains(version)

    def _speaks_of(self, via: Via | None) -> bool:
        return self.via is None or via is None or via is self.via

    def __str__(self) -> str:
        versions = self.range.text if self.range.text != "*" else ""
        text = f"{self.component} {versions}".rstrip()
        text = f"{text} ({self.via})" if self.via else text
        return f"{text} without {', '.join(self.without)}" if self.without else text


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispute:
    """What another source says against a fact, which is the stricter of the two.

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

    An empty ``then`` refuses the combination itself. As a clause: one of ``when`` is absent or outside its
    range, or every component of ``then`` is absent or inside its range.

    Attributes:
        refuses: combinations that it refuses, each as pins with a space between two (``cuda==10.2 gcc==9``):
            thousands of tables would have to be made whenever the knowledge base is read.
        accepts: likewise those of which it says nothing.
        unless: components of which any one makes the fact say nothing, whatever its version: they go about
            the matter in a way of their own.
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
    """Component -> version (or word) of a combination in a fact's examples."""
    return dict(pin.split("==", 1) for pin in example.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Lapsed:
    """A decision to replace or waive a fact whose last day is over: the fact is in force again."""

    file: str
    fact: str
    owner: str
    expires: dt.date
