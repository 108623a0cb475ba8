"""What a group may not move: components of the group that it extends, in layers that are not its own."""

from __future__ import annotations

from collections.abc import Iterator

from envlock.judging.learned_conflicts import learned_conflict
from envlock.model.component import PYTHON, Layer, Range, Via, is_version, parse_version
from envlock.model.frozen import dataclass
from envlock.model.knowing.fact import Condition, Fact
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.lock import Lock
from envlock.model.locked.pinned import locked_versions
from envlock.model.project.group import Group
from envlock.model.project.layers import Layers, within

_NAMED = "layer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A component that stays as the extended group has it.

    Attributes:
        component: its identifier.
        version: the version that stays.
        layer: the layer that it belongs to.
        group: the group whose lock has it.
    """

    component: str
    version: str
    layer: Layer
    group: str

    @property
    def fact(self) -> str:
        """The name under which a refusal mentions it."""
        return f"{_NAMED}-{self.layer.value}:{self.component}"


def held_components(parent: Lock, group: Group, layers: Layers, knowledge: Knowledge) -> tuple[Held, ...]:
    """Return the components of the extended group's lock in layers further in than the group's own.

    What the node decides (driver, C library, GPUs) no solve can move, so it takes no part; neither does
    a layer for which no owner is named, except the core.

    Args:
        parent: the lock of the group that is extended.
        group: the group that extends it.
        layers: who owns what.
        knowledge: likewise, where the site says nothing.
    """
    return tuple(
        Held(component=name, version=version, layer=layer, group=parent.group)
        for name, version in locked_versions(parent).items()
        if within(layer := layers.of(name, knowledge), group.layer)
        and layers.holds(layer)
        and not _of_the_node(name, knowledge)
    )


def _of_the_node(component: str, knowledge: Knowledge) -> bool:
    system = knowledge.systems.get(component)
    return system is not None and system.fixed


def as_facts(held: tuple[Held, ...], layers: Layers, knowledge: Knowledge) -> tuple[Fact, ...]:
    """Return what is held as conflicts with every other version, so that refusals name it and its owners."""
    return tuple(fact for part in held for fact in _facts(part, layers, knowledge))


def _facts(held: Held, layers: Layers, knowledge: Knowledge) -> Iterator[Fact]:
    system = knowledge.systems.get(held.component)
    if held.component == PYTHON or (system is not None and system.words) or not is_version(held.version):
        return
    belongs = (
        f"{held.component} {held.version} of the group {held.group!r} belongs to the {held.layer.value} layer"
    )
    reason = f"{belongs}: ask {layers.whom(held.layer)}"
    # A toolkit or library that a wheel bundles is its own, and moves nothing of the site's.
    provided = any(provider.component == held.component for provider in knowledge.providers)
    via = None if system is None or provided else Via.SITE
    yield learned_conflict(held.fact, [_when(held.component, _others(held.version), via)], reason=reason)
    for virtual in knowledge.systems.values():
        if held.component in virtual.members:
            for other in virtual.members:
                if other != held.component:
                    yield learned_conflict(f"{held.fact}:{other}", [_when(other, "")], reason=reason)


def _others(version: str) -> str:
    """Return the range of all other versions, labelled builds of the same release among them."""
    held = parse_version(version)
    return f"!={held}" if held.local else f"!={held} || =={held} +?*"


def _when(component: str, versions: str, via: Via | None = None) -> Condition:
    return Condition(component=component, range=Range.versions(versions or "*"), via=via)
