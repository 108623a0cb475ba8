"""``why`` and ``why-not``: what chose a version, and what another one would take."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence

from packaging.version import Version

from envlock.app.pins import read_extras, read_pin
from envlock.app.project import Project
from envlock.app.solving.answer import answer_within_layers
from envlock.app.solving.bounds import bounds, leaving_out
from envlock.app.solving.lock import make_lock
from envlock.app.solving.refused import Refused
from envlock.app.version_request import requesting_version
from envlock.edges.clock import today
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.edges.lock_files import locked_targets, read_lock
from envlock.lifecycle.diff import Diff, diff_locks
from envlock.lifecycle.origin import chain_to, needed_for
from envlock.model.component import PYTHON
from envlock.model.errors import EnvlockError, RequestError, SurroundingsError
from envlock.model.frozen import dataclass
from envlock.model.knowing.knowledge import index_name
from envlock.model.locked.lock import Lock
from envlock.model.locked.pins import DistributionPin, Origin, SystemPin
from envlock.model.near_names import near_names
from envlock.model.project.group import Group
from envlock.model.project.target import Target
from envlock.model.published.catalogue import Release, Releases

_EXAMPLE = "write NAME==VERSION, such as gensim==4.0.1"


@dataclass(frozen=True, slots=True, kw_only=True)
class NextRelease:
    """What the next release would take.

    Attributes:
        version: the next release.
        left_out_by: what of the group's own leaves it out: its wishes, and its time.
        outcome: the changes to the lock, what refuses it, or why that could not be found out.
    """

    version: str
    left_out_by: tuple[str, ...]
    outcome: Diff | Refused | EnvlockError


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """Why a group's lock has a component at its version.

    Attributes:
        group: the group.
        target: what its lock is for.
        pin: the pin.
        chain: how the component came in: from what the group asked for down to it.
        bounds: who narrowed its versions -> the requirements, as its metadata or the manifest states them.
        needs: why knowledge asks that it be there -> what in the lock it speaks of.
        facts: facts that narrowed its versions -> the reason.
        newest: the newest release on the indexes; empty for a system component and for what the manifest
            itself names.
        status: what its index says of the project; empty where that is active.
        step: what the next release would take; ``None`` where there is none, or no node to solve for.
    """

    group: str
    target: str
    pin: DistributionPin | SystemPin
    chain: tuple[str, ...]
    bounds: Mapping[str, str]
    needs: Mapping[str, tuple[str, ...]]
    facts: Mapping[str, str]
    newest: str
    status: str
    step: NextRelease | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyNot:
    """What another version of a component would take in a group.

    Attributes:
        group: the group.
        wish: the version asked about, ``gensim==4.0.1``.
        outcome: the changes that it would make to the lock, or what refuses it.
    """

    group: str
    wish: str
    outcome: Diff | Refused


def why(project: Project, name: str, groups: Sequence[str], catalogue: IndexCatalogue) -> tuple[Why, ...]:
    """Explain why each of the groups (all locked ones, if none is named) has a component at its version.

    Raises:
        RequestError: a group is unknown or not locked, or no lock has the component.
    """
    component = project.knowledge.component(name)
    target = project.node()
    found, there = [], set[str]()
    for lock in _locks(project, groups):
        pins: dict[str, DistributionPin | SystemPin] = {pin.component: pin for pin in lock.distributions}
        pins |= {pin.component: pin for pin in lock.systems}
        pins[PYTHON] = _interpreter(lock)
        there |= pins.keys()
        if component in pins:
            found.append(_why(project, lock, pins[component], target, catalogue))
    if found:
        return tuple(found)
    near = near_names(component, sorted(there))
    meant = f"did you mean {near[0]}? " if near else ""
    raise _not_in_locks(
        project, name, groups, hint=f"{meant}envlock kb show {name} shows what is known about it"
    )


def _interpreter(lock: Lock) -> SystemPin:
    """Return the interpreter that a lock is for in the form of a pin, since people may ask about it."""
    return SystemPin(
        component=PYTHON,
        version=lock.python,
        origin=Origin.NODE,
        prefix="",
        distribution="",
        modules=(),
        variables={},
        asked_by=(),
        facts=(),
    )


def _not_in_locks(project: Project, name: str, groups: Sequence[str], *, hint: str) -> RequestError:
    others = [name for name in locked_targets(project.folder) if name != project.options.target]
    if others:
        hint = f"{hint}; there are locks for --target {', '.join(others)}"
    return RequestError(
        "not-in-locks",
        f"no lock on the target {project.options.target!r} has {name!r}",
        where=", ".join(groups) or "all locked groups",
        hint=hint,
    )


def why_not(
    project: Project, text: str, groups: Sequence[str], catalogue: IndexCatalogue
) -> tuple[WhyNot, ...]:
    """Return what a version would take in each group (all locked ones that have it, if none is named).

    Raises:
        RequestError: the text is not ``NAME==VERSION``, a group is unknown or not locked, or none is named
            and no lock has the component.
    """
    component, version = read_pin(text, project.knowledge, _EXAMPLE)
    extras = read_extras([text], project.knowledge).get(component, frozenset())
    day, target = today(), project.target()
    outcomes = []
    for lock in _locks(project, groups):
        present = {pin.component for pin in lock.distributions} | {pin.component for pin in lock.systems}
        present.add(PYTHON)
        if not groups and component not in present:
            continue
        asking = project.manifest.group(lock.group)
        asking = requesting_version(asking, component, version, project.knowledge, extras)
        outcome = _answered(project, lock, asking, target, catalogue, day)
        outcomes.append(WhyNot(group=lock.group, wish=text, outcome=outcome))
    if not outcomes:
        hint = (
            f"to ask what adding it would take, name a group: envlock why-not {text} {project.named('GROUP')}"
        )
        raise _not_in_locks(project, component, groups, hint=hint)
    return tuple(outcomes)


def _answered(
    project: Project, lock: Lock, group: Group, target: Target, catalogue: IndexCatalogue, day: dt.date
) -> Diff | Refused:
    """Return what becomes of a group's lock where the group asks for something else."""
    answer = answer_within_layers(project, group, target, catalogue, lock, day)
    if isinstance(answer, Refused):
        return answer
    return diff_locks(lock, make_lock(answer, group, target, project), project.knowledge)


def _step(
    project: Project,
    lock: Lock,
    pin: DistributionPin,
    release: Release,
    target: Target,
    catalogue: IndexCatalogue,
) -> NextRelease:
    group, version = project.manifest.group(lock.group), release.text
    asking = requesting_version(group, pin.component, version, project.knowledge)
    try:
        outcome: Diff | Refused | EnvlockError = _answered(project, lock, asking, target, catalogue, today())
    except EnvlockError as error:
        outcome = error
    left_out_by = tuple(leaving_out(release, pin.component, group, lock, target.interpreter(lock.python)))
    return NextRelease(version=version, left_out_by=left_out_by, outcome=outcome)


def _locks(project: Project, groups: Sequence[str]) -> Iterator[Lock]:
    for name in groups or project.manifest.groups:
        path = project.need_lock(name) if groups else project.lock_path(name)
        if not path.is_file():
            continue
        try:
            lock = read_lock(path).lock
        except (RequestError, SurroundingsError) as error:
            if not groups:
                error.hint += "; or name the groups that you ask about"
            raise
        yield lock


def _why(
    project: Project,
    lock: Lock,
    pin: DistributionPin | SystemPin,
    target: Target | None,
    catalogue: IndexCatalogue,
) -> Why:
    releases = Releases.of(())
    if isinstance(pin, DistributionPin) and not pin.file.direct:  # that name on an index is another project's
        releases = catalogue.releases(index_name(pin.component))
    final = [release for release in releases if not release.version.is_prerelease]
    newer = [
        release
        for release in final
        if isinstance(pin, DistributionPin) and release.version > Version(pin.version)
    ]
    step = None
    if isinstance(pin, DistributionPin) and newer and target is not None:
        step = _step(project, lock, pin, min(newer, key=lambda release: release.version), target, catalogue)
    return Why(
        group=lock.group,
        target=lock.target,
        pin=pin,
        chain=chain_to(pin.component, lock),
        bounds=bounds(project, lock, pin, target, catalogue),
        needs=needed_for(pin.component, lock, project.knowledge),
        facts={fact: lock.facts.get(fact, "") for fact in pin.facts if fact in lock.facts},
        newest=final[0].text if final else "",
        status=str(releases.status),
        step=step,
    )
