"""Listings and targets as assignments of versions, the form in which a check judges them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from envlock.model.component import PYTHON, Via, parse_version
from envlock.model.knowing.finding import Assignment, Chosen
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.pinned import decided_by_node
from envlock.model.project.target import Target
from envlock.model.published.listing import Listed, Listing


def listed_choices(listing: Listing, knowledge: Knowledge) -> dict[str, tuple[Chosen, ...]]:
    """Return what a listing holds, with the system components that its distributions are."""
    provided = {provider.distribution: provider.component for provider in knowledge.providers}
    found = [(knowledge.component(system.name), system) for system in listing.systems]
    for pin in listing.distributions:
        distribution = knowledge.distribution(pin.name)
        found.append((distribution, pin))
        if distribution in provided:
            found.append((provided[distribution], replace(pin, via=Via.WHEEL)))
    return _chosen(found)


def node_choices(target: Target, judged: Assignment, knowledge: Knowledge) -> dict[str, tuple[Chosen, ...]]:
    """Return what a target's nodes decide, and the words that come with its offers of what is judged.

    An example of such a word is the thread level of an MPI. The interpreter is among them where there is no
    other one.
    """
    pythons = interpreters_of(target)
    only = {PYTHON: (Chosen(version=pythons[0], via=Via.SITE),)} if len(pythons) == 1 else {}
    return (
        decided_by_node(target, knowledge)
        | only
        | {
            name: (Chosen(version=word, via=Via.SITE),)
            for offer in target.offers
            if any(chosen.version == offer.version for chosen in judged.get(offer.component, ()))
            for name, word in offer.properties.items()
        }
    )


def interpreters_of(target: Target) -> tuple[str, ...]:
    """Return the versions of the interpreters that a target has, newest first."""
    return tuple(
        sorted({interpreter.version for interpreter in target.interpreters}, key=parse_version, reverse=True)
    )


def _chosen(found: Iterable[tuple[str, Listed]]) -> dict[str, tuple[Chosen, ...]]:
    assignment: dict[str, tuple[Chosen, ...]] = {}
    for component, pin in found:
        before = assignment.get(component, ())
        if all(chosen.version != pin.version for chosen in before):
            assignment[component] = (*before, Chosen(version=pin.version, via=pin.via))
    return assignment
