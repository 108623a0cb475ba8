"""Which releases of an answer could be nearer, and which of two answers has the nearer ones of the wishes."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from itertools import takewhile

from envlock.model.component import Via
from envlock.solve.requirements import Requirement
from envlock.solve.searching.outcomes import Found
from envlock.solve.searching.provider import Provider


def is_nearer(
    other: Found, answer: Found, wishes: Iterable[Requirement], passed: AbstractSet[str], provider: Provider
) -> bool:
    """Whether another answer has a better candidate for a wish that was passed by, and a worse one for none.

    Better is what comes first among all candidates for the wish.

    Args:
        other: what may be nearer.
        answer: what it is held against.
        wishes: what the group asks for; both answers have it.
        passed: the components that were passed by.
        provider: answers for components.
    """
    nearer = False
    for wish in wishes:
        places = [_place(found, wish, provider) for found in (other, answer)]
        if places[0] > places[1]:
            return False
        nearer |= places[0] < places[1] and wish.identifier in passed
    return nearer


def is_left_behind(name: str, answer: Found, provider: Provider) -> bool:
    """Whether nothing that an answer requires of a component stands against a better candidate for it."""
    pin = answer.mapping.get(name)
    return pin is not None and pin != next(iter(provider.best_first(name, answer.requirements[name])), pin)


def builds(answer: Found) -> int:
    """Return how many pins of an answer have to be built."""
    return sum(pin.via is Via.BUILD for pin in answer.mapping.values())


def _place(answer: Found, wish: Requirement, provider: Provider) -> int:
    """Return how many candidates for a wish are better than the one that an answer has."""
    pin = answer.mapping[wish.identifier]
    return sum(
        1
        for _ in takewhile(lambda candidate: candidate != pin, provider.best_first(wish.identifier, (wish,)))
    )
