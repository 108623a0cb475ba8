"""The combination that a lock amounts to on a target, for facts to judge."""

from __future__ import annotations

from envlock.model.component import PYTHON, Via
from envlock.model.knowing.finding import Assignment, Chosen
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.lock import Lock
from envlock.model.locked.pinned import decided_by_node, pinned_choices
from envlock.model.project.target import Target


def assignment_on(lock: Lock, target: Target, knowledge: Knowledge) -> Assignment:
    """Return the lock's pins together with what the target decides today.

    A system component of the node (driver, GPUs, C library) counts as the target has it now, not as it was
    when the lock was made.
    """
    python = {PYTHON: (Chosen(version=lock.python, via=Via.SITE),)}
    return {**python, **pinned_choices(lock), **decided_by_node(target, knowledge)}
