"""Who would have to act for a remedy."""

from __future__ import annotations

from collections.abc import Iterator

from envlock.model.component import Layer
from envlock.model.locked.pins import Remedy


def by_layer(remedies: tuple[Remedy, ...]) -> Iterator[tuple[Layer | None, list[Remedy]]]:
    """Yield remedies by who would have to act, the group itself first; of several, the innermost counts."""
    for layer in (None, Layer.DISCIPLINE, Layer.FRAMEWORK, Layer.CORE):
        group = [remedy for remedy in remedies if _actor(remedy) is layer]
        if group:
            yield layer, group


def _actor(remedy: Remedy) -> Layer | None:
    acting = {amendment.layer for amendment in remedy.amendments}
    return next((layer for layer in (Layer.CORE, Layer.FRAMEWORK, Layer.DISCIPLINE) if layer in acting), None)
