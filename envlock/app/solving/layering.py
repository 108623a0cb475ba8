"""What a group keeps of the group that it extends, because it is not its own to move."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from envlock.app.project import Project
from envlock.edges.lock_files import read_lock
from envlock.lifecycle.drift import LayerMoved
from envlock.model.component import PYTHON, Range
from envlock.model.errors import RefusedError
from envlock.model.locked.lock import Lock
from envlock.model.locked.pinned import locked_versions
from envlock.model.project.group import Group
from envlock.model.project.target import Interpreter, Target
from envlock.solve.held import Held, as_facts, held_components
from envlock.solve.interpreters import open_interpreters


def held_by_layers(project: Project, group: Group) -> tuple[Held, ...]:
    """Return the components that stay as the nearest extended group locked on the chosen target has them.

    Raises:
        RequestError: that lock cannot be read.
    """
    parent = _nearest_lock(project, group)
    if parent is None:
        return ()
    return held_components(parent, group, project.manifest.layers, project.knowledge)


def _nearest_lock(project: Project, group: Group) -> Lock | None:
    while group.extends:
        path = project.lock_path(group.extends)
        if path.is_file():
            return read_lock(path).lock
        group = project.manifest.group(group.extends)
    return None


def lock_to_agree_with(project: Project, group: Group) -> Lock | None:
    """Return the lock, on the chosen target, of the group with which this one agrees where it can.

    Raises:
        RequestError: that lock cannot be read.
    """
    other = group.policy.prefer_same_as
    path = project.lock_path(other)
    return read_lock(path).lock if other and other != group.name and path.is_file() else None


def holding(project: Project, held: tuple[Held, ...]) -> Project:
    """Return the project with a knowledge base that refuses to move held components."""
    facts = as_facts(held, project.manifest.layers, project.knowledge)
    knowledge = project.knowledge
    if not facts:
        return project
    return replace(project, knowledge=replace(knowledge, facts=knowledge.facts.plus(facts)))


def held_interpreter(
    project: Project, group: Group, target: Target, held: tuple[Held, ...]
) -> Interpreter | None:
    """Return the interpreter that stays, if it belongs to others: ``None`` where every one will do.

    A bugfix release makes no difference, so another one of the same series stands in where the target has
    that one no longer, or has it for other users only.

    Raises:
        RefusedError: ``not-yours``: the group asks for another one; ``base-outdated``: so does the extended
            group by now; ``no-interpreter``: the target has none of that series.
    """
    python = next((part for part in held if part.component == PYTHON), None)
    if python is None:
        return None
    if not group.python.contains(python.version):
        base = project.manifest.group(python.group)
        if group.python == base.python:
            raise _outdated(project, python, f"python {base.python.text}")
        raise RefusedError(
            "not-yours",
            f"python {python.version} of the group {base.name!r} belongs to the {python.layer.value} layer",
            where=f"groups.{group.name}.python",
            why=f"the group {group.name!r} extends {python.group!r} and asks for another Python",
            hint=f"ask {project.manifest.layers.whom(python.layer)}, or let the group extend nothing",
        )
    of_series = Range.versions(f"=={_series(python.version)}.*")
    stand_ins = (own for own in open_interpreters(group.python, target) if of_series.contains(own.version))
    stays = target.interpreter(python.version) or next(stand_ins, None)
    if stays is None:
        raise RefusedError(
            "no-interpreter",
            f"the target {target.name!r} has no Python {_series(python.version)}, which {python.group!r} has",
            where=f"groups.{group.name}",
            why=f"python belongs to the {python.layer.value} layer; there: "
            f"{', '.join(own.version for own in target.interpreters) or 'no Python at all'}",
            hint=f"solve that group first: envlock solve {project.named(python.group)}; "
            f"it is moved by {project.manifest.layers.whom(python.layer)}",
        )
    return stays


def refuse_outdated(project: Project, group: Group, held: tuple[Held, ...]) -> None:
    """Refuse to hold what the extended group itself asks for in another version since it was locked.

    Raises:
        RefusedError: ``base-outdated``.
    """
    for part in held:
        base = project.manifest.group(part.group)
        for wish in group.wishes:
            conditional = wish.requirement is not None and wish.requirement.marker is not None
            if wish.component != part.component or wish not in base.wishes or conditional:
                continue
            if not wish.range.contains(part.version):
                raise _outdated(project, part, wish.text)


def _outdated(project: Project, held: Held, asked: str) -> RefusedError:
    return RefusedError(
        "base-outdated",
        f"the lock of the group {held.group!r} is not what the manifest asks for by now",
        where=f"groups.{held.group}",
        why=f"it has {held.component} {held.version}, which stays in groups that extend {held.group!r}, "
        f"and {held.group!r} asks for {asked}",
        hint=f"solve that group first: envlock solve {project.named(held.group)}",
    )


def moved_away(lock: Lock, held: tuple[Held, ...]) -> Iterator[LayerMoved]:
    """Yield where a lock has other versions than the extended group has by now; of Python, another series."""
    pinned = locked_versions(lock)
    for part in held:
        locked = pinned.get(part.component, part.version)
        alike = part.component == PYTHON and _series(locked) == _series(part.version)
        if locked != part.version and not alike:
            yield LayerMoved(component=part.component, locked=locked, group=part.group, has=part.version)


def _series(python: str) -> str:
    return ".".join(python.split(".")[:2])
