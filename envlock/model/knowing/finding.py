"""What a judgement says about a combination of components."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from envlock.model.component import Via
from envlock.model.frozen import dataclass
from envlock.model.knowing.fact import Severity, Source


class Verdict(StrEnum):
    """The answer to "do these go together?"."""

    COMPATIBLE = "compatible"
    INCOMPATIBLE = "incompatible"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """One version of a component in a combination.

    Attributes:
        version: the version or word.
        via: how it came to be there, where that is known.
        bundled_in: the distribution that bundles it; empty for a component in its own right.
    """

    version: str
    via: Via | None = None
    bundled_in: str = ""


Assignment = Mapping[str, tuple[Chosen, ...]]
"""Component -> its versions in a combination; several where builds bundle their own beside the system's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """One change that would resolve a finding.

    Attributes:
        component: what to change.
        range: the versions that would be fine; empty where only individual ones are known.
        versions: the nearest of them, below and above, that raise no other refusal, if any are known.
    """

    component: str
    range: str
    versions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One violated fact.

    Attributes:
        fact: the fact's identifier.
        severity: what it does to the verdict.
        components: the components that met, with their versions.
        message: one sentence that says what meets and why it fails.
        cause: the root cause, where it is known.
        sources: where it was read.
        fixes: the nearest ranges that would be fine, one for each component involved.
        inside: component -> the distribution whose published wheel bundles it, for those that are in a
            wheel only.
    """

    fact: str
    severity: Severity
    components: Mapping[str, str]
    message: str
    cause: str
    sources: tuple[Source, ...]
    fixes: tuple[Fix, ...]
    inside: Mapping[str, str] = field(default_factory=dict)

    @property
    def note(self) -> str:
        """What meets and which fact says so, in one line."""
        return f"{self.message} (fact {self.fact})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The verdict on a combination, and its grounds.

    Attributes:
        verdict: incompatible if a fact refuses it; unknown if a component is newer than the knowledge of it.
        findings: violated facts, refusals first.
        uncovered: component -> why the knowledge base cannot speak for its version.
    """

    verdict: Verdict
    findings: tuple[Finding, ...]
    uncovered: Mapping[str, str]

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """What may fail although nothing refuses it."""
        return tuple(finding for finding in self.findings if finding.severity is Severity.WARN)
