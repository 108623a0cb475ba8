"""What a solve's answer and a lock have in common: pins, and the combination they stand for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from envlock.model.component import PYTHON, Via
from envlock.model.knowing.finding import Assignment, Chosen
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.lock import Lock
from envlock.model.locked.pins import DistributionPin, SystemPin
from envlock.model.project.target import Target

_MPI = "mpi"


class Pinned(Protocol):
    """Anything that pins system components and distributions, such as ``Solved`` and ``Lock``."""

    @property
    def systems(self) -> tuple[SystemPin, ...]:
        """The pins of system components."""

    @property
    def distributions(self) -> tuple[DistributionPin, ...]:
        """The pins of distributions."""


def modules_of(systems: Iterable[SystemPin]) -> tuple[str, ...]:
    """Return the modules that pins need loaded, in order, each once."""
    return tuple(dict.fromkeys(module for pin in systems for module in pin.modules))


def mpi_of(pinned: Pinned, knowledge: Knowledge) -> SystemPin | None:
    """Return the MPI if there is one: a member of the virtual component ``mpi``."""
    virtual = knowledge.systems.get(_MPI)
    members = virtual.members if virtual is not None else ()
    return next((pin for pin in pinned.systems if pin.component in members), None)


def pinned_versions(pinned: Pinned) -> dict[str, str]:
    """Return component -> version of all pins."""
    versions = {pin.component: pin.version for pin in pinned.systems}
    return versions | {pin.component: pin.version for pin in pinned.distributions}


def locked_versions(lock: Lock) -> dict[str, str]:
    """Return component -> version of all pins of a lock and of its interpreter."""
    return {PYTHON: lock.python, **pinned_versions(lock)}


def pinned_choices(pinned: Pinned) -> dict[str, tuple[Chosen, ...]]:
    """Return component -> version, with how it comes to be there, of all pins."""
    systems: dict[str, tuple[Chosen, ...]] = {
        pin.component: (Chosen(version=pin.version, via=Via.WHEEL if pin.distribution else Via.SITE),)
        for pin in pinned.systems
    }
    return systems | {
        pin.component: (Chosen(version=pin.version, via=Via.WHEEL if pin.file.is_wheel else Via.BUILD),)
        for pin in pinned.distributions
    }


def decided_by_node(target: Target, knowledge: Knowledge) -> dict[str, tuple[Chosen, ...]]:
    """Return what a node has whatever anybody chooses: driver, C library, GPUs (several on mixed nodes).

    What the site merely offers (a CUDA toolkit that nothing uses) is not included.
    """
    decided: dict[str, tuple[Chosen, ...]] = {}
    for offer in (*target.offers, *target.implied):
        system = knowledge.systems.get(offer.component)
        if system is not None and system.fixed:
            before = decided.get(offer.component, ())
            decided[offer.component] = (*before, Chosen(version=offer.version, via=Via.SITE))
    return decided


def assignment_on(lock: Lock, target: Target, knowledge: Knowledge) -> Assignment:
    """Return the lock's pins together with what the target decides today.

    A system component of the node (driver, GPUs, C library) counts as the target has it now, not as it was
    when the lock was made.
    """
    python = {PYTHON: (Chosen(version=lock.python, via=Via.SITE),)}
    return {**python, **pinned_choices(lock), **decided_by_node(target, knowledge)}
