"""What a lock stands for on a target: the combination that facts are asked about."""

from __future__ import annotations

from envlock.model.component import PYTHON, Via
from envlock.model.knowing.finding import Assignment, Chosen
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.lock import Lock
from envlock.model.locked.pinned import decided_by_node, pinned_choices
from envlock.model.project.target import Target


def assignment_on(lock: Lock, target: Target, knowledge: Knowledge) -> Assignment:
    """The lock's pins together with what the target decides today.

    A system component of the node (driver, GPUs, C library) counts as the target has it, not as it was when
    the lock was made.
    """
    python = {PYTHON: (Chosen(version=lock.python, via=Via.SITE),)}
    return {**python, **pinned_choices(lock), **decided_by_node(target, knowledge)}
