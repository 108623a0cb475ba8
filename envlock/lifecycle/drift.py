"""Why a group is no longer as it was locked, built and verified: typed reasons.

``strains`` compares a lock with a target, of today or supposed; ``doubts`` with what was made of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from envlock.model.fact import Severity
from envlock.model.finding import Finding
from envlock.model.lock import Lock
from envlock.model.pins import Origin, SystemPin
from envlock.model.report import Report
from envlock.model.target import Target


@dataclass(frozen=True, slots=True, kw_only=True)
class WishesChanged:
    """The manifest asks for other things than the lock answers."""

    code: ClassVar[str] = "wishes-changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class FactRefuses:
    """A fact of the knowledge base as it is now refuses what the lock pins."""

    code: ClassVar[str] = "fact-refuses"
    fact: str
    components: tuple[tuple[str, str], ...]
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InterpreterGone:
    """The target no longer has the interpreter that the lock was solved for."""

    code: ClassVar[str] = "interpreter-gone"
    version: str
    found: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferGone:
    """The site no longer offers a system component at the locked version; ``offered`` are those it has."""

    code: ClassVar[str] = "offer-gone"
    component: str
    version: str
    offered: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferMoved:
    """The site offers the locked version, but elsewhere than the environment was made for."""

    code: ClassVar[str] = "offer-moved"
    component: str
    version: str
    locked: str
    offered: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeChanged:
    """The node has another version of what it decides itself than when the lock was made.

    Facts say whether that hurts; by itself it asks for another verification.
    """

    code: ClassVar[str] = "node-changed"
    component: str
    locked: str
    found: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelUnusable:
    """A locked wheel is not for the target's interpreter, processor or C library."""

    code: ClassVar[str] = "wheel-unusable"
    component: str
    filename: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentMissing:
    """Nothing was made of the lock, or it is no longer in the store."""

    code: ClassVar[str] = "environment-missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentOfAnotherLock:
    """The current environment was made from another lock; ``key`` is its name in the store."""

    code: ClassVar[str] = "environment-of-another-lock"
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceMissing:
    """The environment was never verified."""

    code: ClassVar[str] = "evidence-missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceOfAnotherLock:
    """The last verification was of another lock."""

    code: ClassVar[str] = "evidence-of-another-lock"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceFailed:
    """The last verification said no; ``checks`` are the names of those that did."""

    code: ClassVar[str] = "evidence-failed"
    checks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetGone:
    """The manifest no longer has the target that the lock is for."""

    code: ClassVar[str] = "target-gone"
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """A file cannot be read, so that nothing is known of what it says."""

    code: ClassVar[str] = "unreadable"
    file: str
    message: str
    hint: str


Strain = FactRefuses | InterpreterGone | OfferGone | OfferMoved | NodeChanged | WheelUnusable
"""What speaks against a lock on a target."""
Doubt = (
    EnvironmentMissing | EnvironmentOfAnotherLock | EvidenceMissing | EvidenceOfAnotherLock | EvidenceFailed
)
"""What speaks against what was made of a lock."""
Reason = WishesChanged | Strain | Doubt | TargetGone | Unreadable


def strains(
    lock: Lock, target: Target, findings: Iterable[Finding], unusable: Iterable[WheelUnusable] = ()
) -> Iterator[Strain]:
    """Compare a lock with a target.

    Args:
        lock: the lock.
        target: where it should run.
        findings: what the knowledge base says of the lock's combination on the target.
        unusable: wheels of the lock that the target cannot use.
    """
    versions = tuple(interpreter.version for interpreter in target.interpreters)
    if lock.python not in versions:
        yield InterpreterGone(version=lock.python, found=versions)
    for pin in lock.systems:
        if pin.origin is Origin.SITE:
            yield from _missed(pin, target)
        elif pin.origin is Origin.NODE:
            found = tuple(offer.version for offer in target.offered(pin.component))
            if pin.version not in found:
                yield NodeChanged(component=pin.component, locked=pin.version, found=found)
    yield from unusable
    for finding in findings:
        if finding.severity is Severity.REFUSE:
            components = tuple(finding.components.items())
            yield FactRefuses(fact=finding.fact, components=components, message=finding.message)


def _missed(pin: SystemPin, target: Target) -> Iterator[OfferGone | OfferMoved]:
    offers = target.offered(pin.component)
    same = [offer for offer in offers if offer.version == pin.version]
    if not same:
        offered = tuple(offer.version for offer in offers)
        yield OfferGone(component=pin.component, version=pin.version, offered=offered)
    elif all((offer.prefix, offer.modules) != (pin.prefix, pin.modules) for offer in same):
        places = tuple(place_of(offer.prefix, offer.modules) for offer in same)
        locked = place_of(pin.prefix, pin.modules)
        yield OfferMoved(component=pin.component, version=pin.version, locked=locked, offered=places)


def place_of(prefix: str, modules: tuple[str, ...]) -> str:
    """Where a system component is, for people: the modules to load, and the prefix."""
    parts = [f"module load {' '.join(modules)}" if modules else "", prefix]
    return ", ".join(filter(None, parts)) or "no prefix"


def doubts(lock_sha256: str, key: str, current: str, report: Report | None) -> Iterator[Doubt]:
    """Compare what was made of a lock with the lock as it is; evidence counts only where both fit.

    Args:
        lock_sha256: the digest of the lock's bytes.
        key: the name in the store of the environment that the lock becomes.
        current: the name of the group's current environment; empty for none.
        report: the last verification.
    """
    if not current:
        yield EnvironmentMissing()
    elif current != key:
        yield EnvironmentOfAnotherLock(key=current)
    elif report is None:
        yield EvidenceMissing()
    elif report.lock_sha256 != lock_sha256:
        yield EvidenceOfAnotherLock()
    elif not report.passed:
        checks = tuple(check.name for check in report.checks if not check.outcome.good)
        yield EvidenceFailed(checks=checks)
