"""Why a group has drifted from what was locked, built and verified: typed reasons.

``mismatches`` compares a lock with a target, of today or supposed; ``doubts.py`` with what was made of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from envlock.lifecycle.doubts import Doubt
from envlock.model.frozen import dataclass
from envlock.model.knowing.fact import Severity
from envlock.model.knowing.finding import Finding
from envlock.model.locked.lock import Lock
from envlock.model.locked.pins import Origin, SystemPin
from envlock.model.project.target import Target


@dataclass(frozen=True, slots=True, kw_only=True)
class WishesChanged:
    """The manifest no longer asks for what the lock answers."""

    code: ClassVar[str] = "wishes-changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class LockEdited:
    """The lock was edited by hand after envlock wrote it, so its contents were never solved."""

    code: ClassVar[str] = "lock-edited"


@dataclass(frozen=True, slots=True, kw_only=True)
class LockLost:
    """A frozen group has no lock where it had one, so that nobody knows what was promised."""

    code: ClassVar[str] = "lock-lost"
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerMoved:
    """The extended group has another version of a component that belongs to an inner layer."""

    code: ClassVar[str] = "layer-moved"
    component: str
    locked: str
    group: str
    has: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FactRefuses:
    """A fact of today's knowledge base refuses what the lock pins.

    ``inside`` names for each component that a published wheel bundles the distribution of that wheel.
    """

    code: ClassVar[str] = "fact-refuses"
    fact: str
    components: tuple[tuple[str, str], ...]
    message: str
    inside: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WaiverUnbacked:
    """A waiver of the fact claims evidence that does not count; ``why`` says why not."""

    code: ClassVar[str] = "waiver-unbacked"
    fact: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WaiverExpired:
    """The waiver of a fact that refuses held until ``expires``, and holds no more."""

    code: ClassVar[str] = "waiver-expired"
    fact: str
    expires: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InterpreterGone:
    """The target no longer has the interpreter that the lock was solved for."""

    code: ClassVar[str] = "interpreter-gone"
    version: str
    found: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferGone:
    """The site no longer offers a system component at the locked version; ``offered`` lists those it has."""

    code: ClassVar[str] = "offer-gone"
    component: str
    version: str
    offered: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferMoved:
    """The site offers the locked version, but not in the place that the environment was made for."""

    code: ClassVar[str] = "offer-moved"
    component: str
    version: str
    locked: str
    offered: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferChanged:
    """The site offers the locked version in its place, with other variables; ``variables`` names them."""

    code: ClassVar[str] = "offer-changed"
    component: str
    version: str
    variables: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeChanged:
    """A component that the node itself decides has another version than when the lock was made.

    Facts say whether that hurts; by itself it only calls for another verification.
    """

    code: ClassVar[str] = "node-changed"
    component: str
    locked: str
    found: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelUnusable:
    """A locked wheel does not fit the target's interpreter, processor or C library."""

    code: ClassVar[str] = "wheel-unusable"
    component: str
    filename: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetGone:
    """The manifest no longer has the target that the lock is for."""

    code: ClassVar[str] = "target-gone"
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """A file cannot be read, so nothing is known of its contents."""

    code: ClassVar[str] = "unreadable"
    file: str
    message: str
    hint: str


Mismatch = FactRefuses | InterpreterGone | OfferGone | OfferMoved | OfferChanged | NodeChanged | WheelUnusable
"""What speaks against a lock on a target."""
Reason = (
    WishesChanged
    | LockEdited
    | LockLost
    | LayerMoved
    | WaiverUnbacked
    | WaiverExpired
    | Mismatch
    | Doubt
    | TargetGone
    | Unreadable
)


def mismatches(
    lock: Lock, target: Target, findings: Iterable[Finding], unusable: Iterable[WheelUnusable] = ()
) -> Iterator[Mismatch]:
    """Compare a lock with a target.

    Args:
        lock: the lock.
        target: where it should run.
        findings: the knowledge base's findings about the lock's combination on the target.
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
            inside = tuple(finding.inside.items())
            yield FactRefuses(
                fact=finding.fact, components=components, message=finding.message, inside=inside
            )


def _missed(pin: SystemPin, target: Target) -> Iterator[OfferGone | OfferMoved | OfferChanged]:
    offers = target.offered(pin.component)
    same = [offer for offer in offers if offer.version == pin.version]
    if not same:
        offered = tuple(offer.version for offer in offers)
        yield OfferGone(component=pin.component, version=pin.version, offered=offered)
        return
    there = [offer for offer in same if (offer.prefix, offer.modules) == (pin.prefix, pin.modules)]
    if not there:
        places = tuple(place_of(offer.prefix, offer.modules) for offer in same)
        locked = place_of(pin.prefix, pin.modules)
        yield OfferMoved(component=pin.component, version=pin.version, locked=locked, offered=places)
    elif all(dict(offer.variables) != dict(pin.variables) for offer in there):
        changed = {name for name, _ in pin.variables.items() ^ there[0].variables.items()}
        yield OfferChanged(component=pin.component, version=pin.version, variables=tuple(sorted(changed)))


def place_of(prefix: str, modules: tuple[str, ...]) -> str:
    """Say where a system component is, for people: the modules to load, and the prefix."""
    parts = [f"module load {' '.join(modules)}" if modules else "", prefix]
    return ", ".join(filter(None, parts)) or "no prefix"
