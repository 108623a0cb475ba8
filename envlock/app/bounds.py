"""Who narrowed the versions of a component: wishes, policy, metadata, owners, other groups, time."""

from __future__ import annotations

from collections.abc import Iterator

from envlock.app.layering import held_by_layers, lock_to_agree_with
from envlock.app.project import Project
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.model.catalogue import NEEDS_BUILD, Dependency
from envlock.model.errors import SurroundingsError
from envlock.model.group import Group
from envlock.model.lock import Lock
from envlock.model.pins import DistributionPin

Bound = tuple[str, str]
"""Who narrows, and to what."""


def bounds(project: Project, lock: Lock, component: str, catalogue: IndexCatalogue) -> Iterator[Bound]:
    """Everything but facts that bounds a component of a lock.

    Args:
        project: the project.
        lock: the group's lock.
        component: the component's identifier.
        catalogue: has the metadata of what was locked.
    """
    group = project.manifest.group(lock.group)
    yield from _of_manifest(group, component)
    yield from _of_metadata(project, lock, group, component, catalogue)
    yield from _of_others(project, group, component)
    if lock.as_of is not None and component not in project.knowledge.systems:
        yield "the time of the group's pins", f"released by {lock.as_of}"


def _of_manifest(group: Group, component: str) -> Iterator[Bound]:
    for wish in group.wishes:
        if wish.component == component:
            yield f"you, in the group {wish.group!r}", wish.text
    for constraint in group.policy.constraints:
        if constraint.component == component:
            yield f"your constraint, in the group {constraint.group!r}", constraint.text


def _of_metadata(
    project: Project, lock: Lock, group: Group, component: str, catalogue: IndexCatalogue
) -> Iterator[Bound]:
    """What those that need it ask, or what an override asks in their place."""
    override = next((one for one in group.policy.overrides if one.component == component), None)
    instead = f"{override.requirement} instead of " if override else ""
    told = f", overridden: {override.reason}" if override else ""
    for parent in lock.distributions:
        if component in parent.dependencies:
            for requirement in _stated(catalogue, parent):
                if project.knowledge.distribution(requirement.name) == component:
                    yield f"{parent.component} {parent.version}{told}", f"{instead}{requirement}"


def _stated(catalogue: IndexCatalogue, pin: DistributionPin) -> tuple[Dependency, ...]:
    """What a pin's metadata asks; nothing where only its build backend would tell."""
    try:
        return catalogue.metadata(pin.name, pin.file).requires_dist
    except SurroundingsError as error:
        if error.code != NEEDS_BUILD:
            raise
        return ()


def _of_others(project: Project, group: Group, component: str) -> Iterator[Bound]:
    """What other groups' locks say: of owners, and of the group that this one agrees with."""
    for held in held_by_layers(project, group):
        if held.component == component:
            owner = project.manifest.layers.whom(held.layer)
            told = f"belongs to the {held.layer.value} layer, as in the group {held.group!r}: ask {owner}"
            yield told, f"=={held.version}"
    like = lock_to_agree_with(project, group)
    for pin in like.distributions if like else ():
        if pin.component == component:
            yield f"agrees with the group {group.policy.prefer_same_as!r} where it can", f"=={pin.version}"
