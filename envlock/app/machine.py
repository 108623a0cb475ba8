"""This machine as a target, in the terms of the knowledge base."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from envlock.edges.cache import Cache
from envlock.edges.host.detect import detect_target
from envlock.model.command_line import LOCAL
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.project.target import Offer, Target


def detect_machine(knowledge: Knowledge, name: str = LOCAL, cache: Cache | None = None) -> Target:
    """Look at this machine.

    Args:
        knowledge: how components show, and to which names those that report under others are translated.
        name: what to call the target.
        cache: keeps the answers of tools; without one, all run.
    """
    found = detect_target(knowledge.detection, name, cache=cache)
    return replace(found, offers=tuple(_in_its_terms(found.offers, knowledge)))


def _in_its_terms(offers: tuple[Offer, ...], knowledge: Knowledge) -> Iterator[Offer]:
    """Yield offers as components; one that only hints at a component is dropped if its version is unknown."""
    for offer in offers:
        called = () if offer.component in knowledge.systems else knowledge.called.get(offer.component, ())
        if not called:
            yield offer
        for other in called:
            if (version := other.version(offer.version)) is not None:
                yield replace(offer, component=other.component, version=version)
