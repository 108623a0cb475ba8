"""What a change of the site, or of a distribution wherever it is locked, would do to a group's lock."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import ClassVar

from envlock.lifecycle.drift import FactRefuses, InterpreterGone, Mismatch, NodeChanged
from envlock.model.component import PYTHON, Layer
from envlock.model.frozen import dataclass
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.lock import Lock
from envlock.model.project.group import Freeze, Group, Wish
from envlock.model.project.layers import Layers
from envlock.model.project.policy import Constraint
from envlock.model.project.target import Offer, Target


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteRemoval:
    """A system component, or an interpreter, that the target would no longer have."""

    component: str
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteAddition:
    """A system component that the target would gain; those that the node decides replace what it has now."""

    component: str
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Upgrade:
    """A version that a distribution would have wherever it is locked."""

    component: str
    version: str


SiteChange = SiteRemoval | SiteAddition | Upgrade


@dataclass(frozen=True, slots=True, kw_only=True)
class WishExcludes:
    """A group's wish, or its constraint, excludes the version that it would get."""

    code: ClassVar[str] = "wish-excludes"
    component: str
    version: str
    wish: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RequirementUnmet:
    """A release's metadata does not accept what it would be beside; ``component`` is that release's."""

    code: ClassVar[str] = "requirement-unmet"
    component: str
    version: str
    message: str


Break = Mismatch | WishExcludes | RequirementUnmet


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Somebody to ask about a component.

    Attributes:
        component: the component.
        layer: who owns it.
        group: the group with a wish for it, maybe one that others extend; empty for none.
        wish: that wish, as written.
    """

    component: str
    layer: Layer
    group: str
    wish: str


class Outcome(StrEnum):
    """What becomes of a lock."""

    HOLDS = "holds"
    VERIFY_AGAIN = "verify again"
    BREAKS = "breaks"


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What changes do to one group's lock.

    Attributes:
        group: the group's name.
        frozen: the freeze that holds today.
        breaks: why the lock could no longer be used, each with whom to ask.
        again: what changes under the environment without breaking it, so that evidence must be renewed.
    """

    group: str
    frozen: Freeze | None
    breaks: tuple[tuple[Break, tuple[Owner, ...]], ...]
    again: tuple[NodeChanged, ...]

    @property
    def outcome(self) -> Outcome:
        """What becomes of the lock, in one word."""
        if self.breaks:
            return Outcome.BREAKS
        return Outcome.VERIFY_AGAIN if self.again else Outcome.HOLDS


def supposed(target: Target, changes: Iterable[SiteChange], knowledge: Knowledge) -> Target:
    """Return the target as it would be after the changes."""
    offers, interpreters = target.offers, target.interpreters
    replaced = set[str]()
    for change in changes:
        if isinstance(change, SiteRemoval):
            gone = (change.component, change.version)
            offers = tuple(offer for offer in offers if (offer.component, offer.version) != gone)
            interpreters = tuple(
                interpreter for interpreter in interpreters if (PYTHON, interpreter.version) != gone
            )
        elif isinstance(change, SiteAddition):
            if knowledge.systems[change.component].fixed and change.component not in replaced:
                offers = tuple(offer for offer in offers if offer.component != change.component)
                replaced.add(change.component)
            offers = (*offers, Offer(component=change.component, version=change.version))
    return replace(target, offers=offers, interpreters=interpreters)


def upgraded(lock: Lock, changes: Sequence[SiteChange]) -> Lock:
    """Return the lock with the upgraded versions, as if nothing else followed from them."""
    versions = {change.component: change.version for change in changes if isinstance(change, Upgrade)}
    return replace(
        lock,
        distributions=tuple(
            replace(pin, version=versions[pin.component]) if pin.component in versions else pin
            for pin in lock.distributions
        ),
    )


def effect(
    group: Group,
    lock: Lock,
    mismatches: Iterable[Mismatch | RequirementUnmet],
    changes: Sequence[SiteChange],
    knowledge: Knowledge,
    *,
    layers: Layers,
    frozen: bool,
) -> Effect:
    """Sort what speaks against a group's lock after the changes.

    Args:
        group: the group.
        lock: its lock as it is.
        mismatches: what would speak against it and does not today.
        changes: the changes.
        knowledge: says who owns what if the site does not.
        layers: who owns what on the site.
        frozen: whether the group's freeze holds today.
    """
    new = tuple(mismatches)
    breaks = [one for one in new if not isinstance(one, NodeChanged)]
    excluded = _excluded(group, lock, changes)
    return Effect(
        group=group.name,
        frozen=group.frozen if frozen else None,
        breaks=tuple((one, tuple(_owners(one, group, layers, knowledge))) for one in (*breaks, *excluded)),
        again=tuple(one for one in new if isinstance(one, NodeChanged)),
    )


def _excluded(group: Group, lock: Lock, changes: Iterable[SiteChange]) -> Iterator[WishExcludes]:
    locked = {pin.component for pin in lock.distributions}
    for change in changes:
        if isinstance(change, Upgrade) and change.component in locked:
            for wish in _said(group):
                if wish.component == change.component and not wish.range.contains(change.version):
                    yield WishExcludes(component=wish.component, version=change.version, wish=wish.text)


def _owners(reason: Break, group: Group, layers: Layers, knowledge: Knowledge) -> Iterator[Owner]:
    """Yield who owns the components that a reason is about, and whose wishes they answer.

    For a library inside a wheel that is whoever asked for the wheel: the site has not installed it.
    """
    if isinstance(reason, FactRefuses):
        inside = dict(reason.inside)
        components = list(dict.fromkeys(inside.get(name, name) for name, _ in reason.components))
    else:
        components = [PYTHON if isinstance(reason, InterpreterGone) else reason.component]
    for component in components:
        layer = layers.of(component, knowledge)
        wishes = [wish for wish in _said(group) if _speaks_of(wish, component, knowledge)]
        for wish in wishes:
            yield Owner(component=component, layer=layer, group=wish.group, wish=wish.text)
        if component == PYTHON and not group.extends and not group.python.everything:
            asked = f"{PYTHON} {group.python.text}"
            yield Owner(component=component, layer=layer, group=group.name, wish=asked)
        # Nobody owns an add-on that came as a dependency: the dependents' wishes name whom to ask.
        if not wishes and layer is not Layer.DISCIPLINE:
            yield Owner(component=component, layer=layer, group="", wish="")


def _said(group: Group) -> tuple[Wish | Constraint, ...]:
    return (*group.wishes, *group.policy.constraints)


def _speaks_of(wish: Wish | Constraint, component: str, knowledge: Knowledge) -> bool:
    system = knowledge.systems.get(wish.component)
    return wish.component == component or (system is not None and component in system.members)
