"""Which distribution takes the place of another one that provides the same modules.

Users ask for one of several builds of a library (opencv-python or the headless one, tensorflow or the one for
GPUs), while what they use depends on another by name. In one environment both own the same files.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from envlock.model.knowing.knowledge import Knowledge, StandIn
from envlock.model.project.group import Wish


def asked_for_instead(wishes: Iterable[Wish], knowledge: Knowledge) -> dict[str, str]:
    """Map identifiers to their replacements, where the group asks for the replacement alone.

    Args:
        wishes: what the group asks for.
        knowledge: what can replace what.
    """
    asked = {wish.component for wish in wishes}
    found: dict[str, str] = {}
    for stand_in in knowledge.stand_ins:
        if stand_in.distribution in asked:
            for replaced in stand_in.replaces:
                if replaced not in asked:
                    found.setdefault(replaced, stand_in.distribution)
    return found


def instead_of_colliding(
    collisions: Iterable[Collection[str]],
    wishes: Iterable[Wish],
    known: Mapping[str, str],
    knowledge: Knowledge,
) -> dict[str, str]:
    """Map identifiers to their replacements, where two that only dependencies require own the same files.

    Args:
        collisions: what collides in an answer, as the identifiers of each collision.
        wishes: what the group asks for, which nothing replaces.
        known: the replacements so far.
        knowledge: what can replace what.
    """
    asked = {wish.component for wish in wishes}
    found: dict[str, str] = {}
    for colliding in collisions:
        for stand_in in knowledge.stand_ins:
            if stand_in.distribution not in colliding or stand_in.distribution in {*known, *found}:
                continue
            for replaced in stand_in.replaces:
                if replaced in colliding and replaced not in {*asked, *known}:
                    found.setdefault(replaced, stand_in.distribution)
    return found


def are_builds_of_one(components: Collection[str], knowledge: Knowledge) -> bool:
    """Whether one of some distributions provides the same modules as another of them."""
    return any(
        stand_in.distribution in components and any(name in components for name in stand_in.replaces)
        for stand_in in knowledge.stand_ins
    )


def one_of_each(asked: Collection[str], knowledge: Knowledge) -> dict[str, StandIn]:
    """Map distributions to what takes their place, where both are asked for and an environment can hold one.

    Args:
        asked: identifiers of what somebody asks for.
        knowledge: what can replace what; what it names first stays.
    """
    found: dict[str, StandIn] = {}
    for stand_in in knowledge.stand_ins:
        if stand_in.distribution in asked and stand_in.distribution not in found:
            for replaced in stand_in.replaces:
                if replaced in asked and replaced not in {one.distribution for one in found.values()}:
                    found.setdefault(replaced, stand_in)
    return found
