"""``impact``: which groups a change of the site would break, judged before anything is solved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from envlock.app.impact_metadata import requirements_unmet
from envlock.app.impact_resolve import Becomes, Case, NoAnswer, solve_again
from envlock.app.lock_state import mismatches_of
from envlock.app.pins import read_pin
from envlock.app.project import Project
from envlock.app.solving.waivers import waived
from envlock.edges.clock import today
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.edges.lock_files import locked_targets, read_lock
from envlock.lifecycle.drift import Mismatch, Unreadable
from envlock.lifecycle.freeze import holds
from envlock.lifecycle.impact import (
    Effect,
    RequirementUnmet,
    SiteAddition,
    SiteChange,
    SiteRemoval,
    Upgrade,
    effect,
    supposed,
    upgraded,
)
from envlock.model.component import PYTHON, InvalidSpecifier, InvalidVersion, Range, parse_version
from envlock.model.errors import RequestError, SurroundingsError
from envlock.model.frozen import dataclass
from envlock.model.knowing.knowledge import index_name
from envlock.model.locked.lock import Lock
from envlock.model.near_names import near_names
from envlock.model.project.group import Group
from envlock.model.project.layers import Layers
from envlock.model.project.target import Interpreter, Target
from envlock.solve.request import applies, applying

_EXAMPLE = "write NAME==VERSION, such as openmpi==4.0.0"
_DRIVER = "driver"
_DRIVER_EXAMPLE = "write its version, such as --driver 580.65.06"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the administrators want to change, as they write it; ``to`` is another target to move to."""

    remove: Sequence[str] = ()
    add: Sequence[str] = ()
    upgrade: Sequence[str] = ()
    driver: str = ""
    to: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """A group whose lock cannot be read, so that nobody knows what a change does to it."""

    group: str
    reason: Unreadable


@dataclass(frozen=True, slots=True, kw_only=True)
class Impact:
    """What changes would do to the groups of one target.

    Attributes:
        target: where the locks are.
        to: where they would go; the same target, changed, where no other was asked for.
        changes: the changes.
        effects: every group with a lock, in the manifest's order.
        unread: the groups with a lock that cannot be read.
        not_locked: the groups without a lock.
        resolved: what was solved again, where that was asked for.
        layers: whom to ask.
    """

    target: str
    to: str
    changes: tuple[SiteChange, ...]
    effects: tuple[Effect, ...]
    unread: tuple[Unread, ...]
    not_locked: tuple[str, ...]
    resolved: tuple[Becomes | NoAnswer, ...]
    layers: Layers


def impact(
    project: Project, wanted: Wanted, catalogue: IndexCatalogue | None = None, *, resolve: bool = False
) -> Impact:
    """Judge every lock of the chosen target as it would be after the changes; nothing is written.

    What already speaks against a lock today is not attributed to the changes.

    Args:
        project: the project.
        wanted: the changes.
        catalogue: lists the releases, where an index answers; not needed for changes other than
            upgrades, unless ``resolve``.
        resolve: whether to solve again the groups that would break or could take what is added.

    Raises:
        RequestError: nothing is to change, or a change names nothing that is there.
        SurroundingsError: an index could not be read.
    """
    day = today()
    now = project.target()
    there = project.on(wanted.to or project.options.target)
    base = there.target() if wanted.to else now
    changes = tuple(_changes(wanted, base, project))
    if not changes and wanted.to in {"", project.options.target}:
        raise RequestError(
            "nothing-to-change",
            "no change is asked for",
            hint="name one: --driver 580.65.06, --remove, --add or --upgrade NAME==VERSION, or --to TARGET",
        )
    then = supposed(base, changes, project.knowledge)
    cases, unread, not_locked = list[Case](), list[Unread](), list[str]()
    for group in project.manifest.groups.values():
        path = project.lock_path(group.name)
        if not path.is_file():
            not_locked.append(group.name)
            continue
        try:
            lock = read_lock(path).lock
        except (RequestError, SurroundingsError) as error:
            reason = Unreadable(file=str(path), message=str(error), hint=error.hint)
            unread.append(Unread(group=group.name, reason=reason))
            continue
        facts = waived(project, group.name, now, day).facts
        after = mismatches_of(upgraded(lock, changes), then, project.knowledge, facts)
        # Judging takes most of the time, and few of hundreds of locks have anything against them.
        before = mismatches_of(lock, now, project.knowledge, facts) if after and not wanted.to else ()
        new: list[Mismatch | RequirementUnmet] = [one for one in after if one not in before]
        new += (
            requirements_unmet(group, lock, changes, then, project.knowledge, catalogue) if catalogue else ()
        )
        frozen = holds(group.frozen, day)
        asking = _applying(group, now.interpreter(lock.python) or then.interpreter(lock.python))
        found = effect(
            asking, lock, new, changes, project.knowledge, layers=project.manifest.layers, frozen=frozen
        )
        cases.append(Case(group=group, lock=lock, effect=found))
    if not cases and not unread:
        _need_none_elsewhere(project)
    if not unread:
        _need_somewhere(changes, [case.lock for case in cases], project.options.target)
    if catalogue:
        _need_released(changes, cases, catalogue)
    again = solve_again(cases, changes, then, there, catalogue, day) if catalogue and resolve else ()
    return Impact(
        target=project.options.target,
        to=wanted.to or project.options.target,
        changes=changes,
        effects=tuple(case.effect for case in cases),
        unread=tuple(unread),
        not_locked=tuple(not_locked),
        resolved=again,
        layers=project.manifest.layers,
    )


def _changes(wanted: Wanted, target: Target, project: Project) -> Iterator[SiteChange]:
    systems = project.knowledge.systems
    for text in wanted.remove:
        component, version = read_pin(text, project.knowledge, _EXAMPLE)
        there = [offer.version for offer in target.offered(component)]
        there += [interpreter.version for interpreter in target.interpreters if component == PYTHON]
        gone = [version] if version in there else _meant(version, there)
        if not gone:
            hint = f"it offers {component} {', '.join(there)}" if there else f"it offers no {component}"
            if component not in systems:
                hint = (
                    f"--remove is for what a site offers; about another release, --upgrade {component}==..."
                )
            message = f"the target {target.name!r} does not offer {component} {version}"
            raise RequestError("not-offered", message, where=f"--remove {text}", hint=hint)
        yield from (SiteRemoval(component=component, version=offered) for offered in gone)
    added = [(text, _EXAMPLE) for text in wanted.add]
    added += [(f"{_DRIVER}=={wanted.driver}", _DRIVER_EXAMPLE)] if wanted.driver else []
    for text, example in added:
        component, version = read_pin(text, project.knowledge, example)
        if component not in systems or component == PYTHON or systems[component].members:
            hint = "--add is for what a site installs, --upgrade for distributions"
            raise RequestError("no-system-component", f"a site cannot add {component!r}", hint=hint)
        yield SiteAddition(component=component, version=version)
    for text in wanted.upgrade:
        component, version = read_pin(text, project.knowledge, _EXAMPLE)
        if component in systems:
            hint = f"--add {text}, and --remove for the old one"
            raise RequestError("no-distribution", f"{component!r} is a system component", hint=hint)
        yield Upgrade(component=component, version=version)


def _applying(group: Group, python: Interpreter | None) -> Group:
    """Return a group without the wishes and constraints that are not for an interpreter; all for none."""
    if python is None:
        return group
    constraints = tuple(
        constraint
        for constraint in group.policy.constraints
        if constraint.requirement is None or applies(constraint.requirement, python)
    )
    policy = replace(group.policy, constraints=constraints)
    return replace(group, wishes=applying(group.wishes, python), policy=policy)


def _need_none_elsewhere(project: Project) -> None:
    """Refuse to answer for a target without locks where others have some: nothing was judged."""
    if elsewhere := locked_targets(project.folder):
        raise RequestError(
            "no-lock-here",
            f"no group has a lock on the target {project.options.target!r}, so nothing was judged",
            where=str(project.folder / "locks"),
            why=f"locks are for: {', '.join(elsewhere)}",
            hint=f"name one of these targets: --target {elsewhere[0]}",
        )


def _need_somewhere(changes: Sequence[SiteChange], locks: Sequence[Lock], target: str) -> None:
    """Refuse to upgrade what no lock has: that nothing breaks would not answer what was meant."""
    there = {pin.component for lock in locks for pin in lock.distributions}
    for change in changes:
        if isinstance(change, Upgrade) and locks and change.component not in there:
            near = near_names(change.component, there)
            raise RequestError(
                "not-in-locks",
                f"no lock on the target {target!r} has {change.component!r}",
                where=f"--upgrade {change.component}=={change.version}",
                hint=f"did you mean {near[0]}?" if near else "envlock why NAME shows which groups have it",
            )


def _need_released(changes: Sequence[SiteChange], cases: Sequence[Case], catalogue: IndexCatalogue) -> None:
    """Refuse to upgrade to what no index lists, unless none answers or the manifest names the file itself."""
    named = {pin.component for case in cases for pin in case.lock.distributions if pin.file.direct}
    for change in changes:
        if not isinstance(change, Upgrade) or change.component in named:
            continue
        name = index_name(change.component)
        try:
            texts = catalogue.releases(name).texts
        except SurroundingsError:
            continue
        if texts and not any(map(Range.versions(f"=={change.version}").contains, texts)):
            newest = next((text for text in texts if not parse_version(text).is_prerelease), texts[0])
            raise RequestError(
                "not-listed",
                f"no index lists {name} {change.version}",
                where=f"--upgrade {change.component}=={change.version}",
                hint=f"the newest is {newest}; envlock kb show {name} shows what is known about it",
            )


def _meant(version: str, there: Sequence[str]) -> list[str]:
    """Return the offered versions that PEP 440 takes for a version, or for one of its series.

    ``python==3.9`` takes 3.9.18 with it, ``openmpi==4.0.0`` what is offered as 4.0 or as 4.0.0+cuda.
    """
    try:
        named = parse_version(version)
        series = f" || =={named}.*" if str(named) == named.base_version else ""
        meant = Range.versions(f"=={version}{series}")
    except (InvalidSpecifier, InvalidVersion):
        return []  # a word, or a vendor's own form: only the very same is meant
    return [offered for offered in dict.fromkeys(there) if meant.contains(offered)]
