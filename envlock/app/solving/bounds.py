"""What narrows the versions of a component: wishes, policy, metadata, owners, other groups, time."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from envlock.app.project import Project
from envlock.app.solving.layering import held_by_layers, lock_to_agree_with
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.model.component import PYTHON, Via
from envlock.model.errors import SurroundingsError
from envlock.model.locked.lock import Lock
from envlock.model.locked.pins import DistributionPin, SystemPin
from envlock.model.project.group import Group
from envlock.model.project.policy import ALL
from envlock.model.project.target import Interpreter, Target
from envlock.model.published.catalogue import OF_THE_FILE, Release
from envlock.model.published.metadata import Dependency
from envlock.solve.request import applying, holds
from envlock.solve.requirements import split_extra

Bound = tuple[str, str]
"""Who narrows, and to what."""


def bounds(
    project: Project,
    lock: Lock,
    pin: DistributionPin | SystemPin,
    target: Target | None,
    catalogue: IndexCatalogue,
) -> Mapping[str, str]:
    """Map whoever narrows a component of a lock to what they narrow it to; facts are left out.

    Args:
        project: the project.
        lock: the group's lock.
        pin: the component's pin.
        target: tells which markers hold, if it is known and still has the lock's interpreter.
        catalogue: has the metadata of what was locked.
    """
    group, component = project.manifest.group(lock.group), pin.component
    python = target.interpreter(lock.python) if target else None
    found: dict[str, list[str]] = {}
    for who, what in (
        *(_of_interpreter(group, lock) if component == PYTHON else ()),
        *_of_manifest(group, component, python, project.manifest.sources.direct),
        *_of_metadata(project, lock, group, pin, python, catalogue),
        *_of_others(project, group, component),
    ):
        found.setdefault(who, []).append(what)
    if lock.as_of is not None and component not in project.knowledge.systems:
        whose = "your as-of" if group.as_of == lock.as_of else "the time of the group's pins"
        found[whose] = [f"released by {lock.as_of}"]
    return {who: ", ".join(dict.fromkeys(whats)) for who, whats in found.items()}


def leaving_out(
    release: Release, component: str, group: Group, lock: Lock, python: Interpreter | None
) -> Iterator[str]:
    """Yield what of a group's own leaves a release out: its wishes as written, and the time that applied.

    Args:
        release: the release.
        component: what it is one of.
        group: the group.
        lock: its lock.
        python: the lock's interpreter, for which not every wish may be meant; ``None`` if it is not known.
    """
    for wish in group.wishes if python is None else applying(group.wishes, python):
        if wish.component == component and not wish.range.contains(release.text):
            yield wish.text
    if lock.as_of is not None and release.since is not None and release.since > lock.as_of:
        yield f"as-of {lock.as_of}"


def _of_interpreter(group: Group, lock: Lock) -> Iterator[Bound]:
    asked = group.python.text
    left_open = "" if lock.python_because else "the newest that the target has"
    if narrowed := f"python{asked}" if asked else left_open:
        yield f"the group {group.name!r}", narrowed
    if lock.python_because:
        yield "what suits the group", lock.python_because


def _of_manifest(
    group: Group, component: str, python: Interpreter | None, sources: Collection[str]
) -> Iterator[Bound]:
    direct = {*sources, *(wish.component for wish in group.wishes if wish.direct is not None)}
    for wish in group.wishes if python is None else applying(group.wishes, python):
        if wish.component == component:
            yield f"you, in the group {wish.group!r}", wish.text
    for constraint in group.policy.constraints:
        if constraint.component == component:
            yield f"your constraint, in the group {constraint.group!r}", constraint.text
    forms = group.policy.forms
    match forms.of(component, direct=component in direct):
        case Via.BUILD:
            yield _listed("no-binary", component, forms.no_binary), "never a wheel, and so built"
        case Via.WHEEL:
            yield _listed("only-binary", component, forms.only_binary), "never built, and so a wheel"


def _listed(key: str, component: str, names: Collection[str]) -> str:
    return f"your {key}" if component in names else f"your {key} {ALL}"


def _of_metadata(
    project: Project,
    lock: Lock,
    group: Group,
    pin: DistributionPin | SystemPin,
    python: Interpreter | None,
    catalogue: IndexCatalogue,
) -> Iterator[Bound]:
    """Yield what its dependents ask of it, or what an override asks in their place."""
    override = next(
        (candidate for candidate in group.policy.overrides if candidate.component == pin.component), None
    )
    instead = f"{override.requirement} instead of " if override else ""
    overridden = f", overridden: {override.reason}" if override else ""
    for parent in lock.distributions:
        if pin.component not in parent.dependencies:
            continue
        asking = (split_extra(by.partition(" ")[0]) for by in pin.asked_by)
        extras = ["", *(extra for name, extra in asking if name == parent.component and extra)]
        for requirement in _stated(catalogue, parent):
            if project.knowledge.distribution(requirement.name) == pin.component and (
                python is None or any(holds(requirement.marker, python, extra) for extra in extras)
            ):
                yield f"{parent.component} {parent.version}{overridden}", f"{instead}{requirement}"


def _stated(catalogue: IndexCatalogue, pin: DistributionPin) -> tuple[Dependency, ...]:
    """Return what a pin's metadata asks; nothing where only its build backend would tell."""
    try:
        return catalogue.metadata(pin.name, pin.file).requires_dist
    except SurroundingsError as error:
        if error.code not in OF_THE_FILE:
            raise
        return ()


def _of_others(project: Project, group: Group, component: str) -> Iterator[Bound]:
    """Yield what other groups' locks say: those of owners, and of the group that this one agrees with."""
    for held in held_by_layers(project, group):
        if held.component == component:
            owner = project.manifest.layers.whom(held.layer)
            who = f"belongs to the {held.layer.value} layer, as in the group {held.group!r}: ask {owner}"
            yield who, f"=={held.version}"
    like = lock_to_agree_with(project, group)
    for pin in like.distributions if like else ():
        if pin.component == component:
            yield f"agrees with the group {group.policy.prefer_same_as!r} where it can", f"=={pin.version}"
