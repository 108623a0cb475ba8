"""What a lock stands for on a target: the combination that facts are asked about."""

from __future__ import annotations

from envlock.model.component import Via
from envlock.model.finding import Assignment, Chosen
from envlock.model.knowledge import Knowledge
from envlock.model.lock import Lock
from envlock.model.target import Target


def assignment_on(lock: Lock, target: Target, knowledge: Knowledge) -> Assignment:
    """The lock's pins together with what the target decides today.

    A system component of the node (driver, GPUs, C library) counts as the target has it, not as it was when
    the lock was made; what the site offers and the lock does not use takes no part.
    """
    fixed: dict[str, tuple[Chosen, ...]] = {}
    for offer in target.offers:
        system = knowledge.systems.get(offer.component)
        if system is not None and system.fixed:
            before = fixed.get(offer.component, ())
            fixed[offer.component] = (*before, Chosen(version=offer.version, via=Via.SITE))
    return {
        "python": (Chosen(version=lock.python, via=Via.SITE),),
        **{
            pin.component: (Chosen(version=pin.version, via=Via.WHEEL if pin.distribution else Via.SITE),)
            for pin in lock.systems
        },
        **{
            pin.component: (Chosen(version=pin.version, via=Via.WHEEL if pin.file.is_wheel else Via.BUILD),)
            for pin in lock.distributions
        },
        **fixed,
    }
