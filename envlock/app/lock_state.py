"""How a lock stands on a target, or that it is lost: judged, never solved, so that many take seconds."""

from __future__ import annotations

from collections.abc import Iterator

from envlock.app.project import Project
from envlock.edges.clock import today
from envlock.edges.lock_files import locked_targets
from envlock.judging.judge import judge
from envlock.judging.tags import supported_tags
from envlock.lifecycle.drift import Mismatch, WheelUnusable, mismatches
from envlock.lifecycle.freeze import holds
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.lock import Lock
from envlock.model.locked.pinned import assignment_on
from envlock.model.project.target import Interpreter, Target


def mismatches_of(
    lock: Lock, target: Target, knowledge: Knowledge, waived: frozenset[str]
) -> tuple[Mismatch, ...]:
    """Return everything that speaks against a lock on a target, today's or a supposed one."""
    judgement = judge(assignment_on(lock, target, knowledge), knowledge, waived=waived)
    return tuple(mismatches(lock, target, judgement.findings, _unusable(lock, target)))


def lost_lock(project: Project, group: str) -> bool:
    """Whether a frozen group has no lock on the chosen target although it had one.

    It had one where there is an environment or an archive of it, and where no target has a lock.
    """
    frozen = project.manifest.group(group).frozen
    if frozen is None or not holds(frozen, today()) or project.lock_path(group).is_file():
        return False
    target = project.options.target
    elsewhere = locked_targets(project.folder, group)
    return bool(not elsewhere or target in frozen.archives or project.store.current(target, group))


def _unusable(lock: Lock, target: Target) -> Iterator[WheelUnusable]:
    """Yield wheels whose tags the lock's interpreter does not support; none if it is missing."""
    release = lock.python.split(".")[:2]
    interpreter = next(
        (there for there in target.interpreters if there.version.split(".")[:2] == release), None
    )
    if interpreter is None:
        return
    yield from unusable_wheels(lock, target, interpreter)


def unusable_wheels(lock: Lock, target: Target, interpreter: Interpreter) -> Iterator[WheelUnusable]:
    """Yield wheels of a lock whose tags an interpreter of the target does not support."""
    supported = supported_tags(target, interpreter)
    for pin in lock.distributions:
        if pin.file.is_wheel and not any(supported.rank(tag) is not None for tag in pin.file.tags):
            yield WheelUnusable(component=pin.component, filename=pin.file.filename)
