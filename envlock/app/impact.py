"""``impact``: which groups a change of the site would break, judged before anything is solved."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import replace

from packaging.requirements import InvalidRequirement, Requirement

from envlock.app.answer import Refused, answer_group
from envlock.app.lock import make_lock
from envlock.app.project import Project
from envlock.app.standing import strains_of
from envlock.app.waivers import waived
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.edges.lock_files import read_lock
from envlock.lifecycle.diff import Diff, diff_locks
from envlock.lifecycle.freeze import holds
from envlock.lifecycle.impact import Addition, Change, Effect, Removal, Upgrade, effect, supposed, upgraded
from envlock.model.component import Range
from envlock.model.errors import EnvlockError, RequestError, SurroundingsError
from envlock.model.frozen import dataclass
from envlock.model.knowledge import index_name
from envlock.model.layers import Layers
from envlock.model.lock import Lock
from envlock.model.manifest import Group, Wish
from envlock.model.pinned import pinned_versions
from envlock.model.pins import Unsolvable
from envlock.model.target import Target
from envlock.solve.request import exact_version

_EXAMPLE = "write NAME==VERSION, such as openmpi==4.0.0"
_DRIVER = "driver"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the administrators want to change, as they write it; ``to`` is another target to go to."""

    remove: Sequence[str] = ()
    add: Sequence[str] = ()
    upgrade: Sequence[str] = ()
    driver: str = ""
    to: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Becomes:
    """What a group would have if it were solved again."""

    group: str
    diff: Diff


@dataclass(frozen=True, slots=True, kw_only=True)
class NoAnswer:
    """Why a group would have nothing; ``refusal`` tells what cannot hold together, where that is known."""

    group: str
    why: str
    refusal: Unsolvable | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Impact:
    """What changes would do to the groups of one target.

    Attributes:
        target: where the locks are.
        to: where they would go; the same target, changed, where no other was asked for.
        changes: the changes.
        effects: every group with a lock, in the manifest's order.
        not_locked: the groups without one.
        resolved: what was solved again, where that was asked for.
        layers: whom to ask.
    """

    target: str
    to: str
    changes: tuple[Change, ...]
    effects: tuple[Effect, ...]
    not_locked: tuple[str, ...]
    resolved: tuple[Becomes | NoAnswer, ...]
    layers: Layers


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """One group with its lock, and what would become of it."""

    group: Group
    lock: Lock
    effect: Effect


def impact(
    project: Project, wanted: Wanted, catalogue: IndexCatalogue | None = None, *, today: dt.date | None = None
) -> Impact:
    """Judge every lock of the chosen target after the changes; nothing is written.

    What speaks against a lock already today is not put down to the changes.

    Args:
        project: the project.
        wanted: the changes.
        catalogue: solves the groups again that would break or could take what is added; ``None``: nothing
            is solved.
        today: the day to ask for; empty for today.

    Raises:
        RequestError: nothing is to change, a change names nothing that is there, or a lock cannot be read.
        SurroundingsError: an index could not be read.
    """
    day = today or dt.datetime.now(dt.UTC).date()
    now = project.target()
    there = replace(project, options=replace(project.options, target=wanted.to or project.options.target))
    base = there.target() if wanted.to else now
    changes = tuple(_changes(wanted, base, project))
    if not changes and not wanted.to:
        raise RequestError("nothing-to-change", "no change is asked for", hint="envlock impact --help")
    then = supposed(base, changes, project.knowledge)
    cases, not_locked = list[_Case](), list[str]()
    for group in project.manifest.groups.values():
        path = project.lock_path(group.name)
        if not path.is_file():
            not_locked.append(group.name)
            continue
        lock = read_lock(path).lock
        facts = waived(project, group.name, now, day).facts
        before = () if wanted.to else strains_of(lock, now, project.knowledge, facts)
        after = strains_of(upgraded(lock, changes), then, project.knowledge, facts)
        new = [one for one in after if one not in before]
        frozen = holds(group.frozen, day)
        found = effect(
            group, lock, new, changes, project.knowledge, layers=project.manifest.layers, frozen=frozen
        )
        cases.append(_Case(group=group, lock=lock, effect=found))
    again = [case for case in cases if catalogue and _to_solve(case, changes)]
    return Impact(
        target=project.options.target,
        to=wanted.to or project.options.target,
        changes=changes,
        effects=tuple(case.effect for case in cases),
        not_locked=tuple(not_locked),
        resolved=tuple(_resolve(case, changes, then, there, catalogue, day) for case in again if catalogue),
        layers=project.manifest.layers,
    )


def _changes(wanted: Wanted, target: Target, project: Project) -> Iterator[Change]:
    systems = project.knowledge.systems
    for text in wanted.remove:
        component, version = _pin(text, project)
        there = [offer.version for offer in target.offered(component)]
        there += [one.version for one in target.interpreters if component == "python"]
        if version not in there:
            raise RequestError(
                "not-offered",
                f"the target {target.name!r} does not offer {component} {version}",
                where=f"--remove {text}",
                hint=f"it offers: {component} {', '.join(there) or 'not at all'}",
            )
        yield Removal(component=component, version=version)
    added = [*wanted.add, *([f"{_DRIVER}=={wanted.driver}"] if wanted.driver else [])]
    for text in added:
        component, version = _pin(text, project)
        if component not in systems or component == "python" or systems[component].members:
            hint = "--add is for what a site installs, --upgrade for distributions"
            raise RequestError("no-system-component", f"a site cannot add {component!r}", hint=hint)
        yield Addition(component=component, version=version)
    for text in wanted.upgrade:
        component, version = _pin(text, project)
        if component in systems:
            hint = f"--add {text}, and --remove for the old one"
            raise RequestError("no-distribution", f"{component!r} is a system component", hint=hint)
        yield Upgrade(component=component, version=version)


def _pin(text: str, project: Project) -> tuple[str, str]:
    try:
        requirement = Requirement(text.removeprefix("pypi:"))
    except InvalidRequirement:
        raise RequestError("invalid-pin", f"{text!r} is no pin", where=text, hint=_EXAMPLE) from None
    version = exact_version(requirement.specifier)
    if not version:
        raise RequestError("invalid-pin", f"{text!r} names no one version", where=text, hint=_EXAMPLE)
    prefix = "pypi:" if text.startswith("pypi:") else ""
    return project.knowledge.component(prefix + requirement.name), version


def _to_solve(case: _Case, changes: Sequence[Change]) -> bool:
    """A group that may move, and that breaks or uses another version of what is added."""
    added = {change.component for change in changes if isinstance(change, Addition)}
    uses = any(pin.component in added for pin in case.lock.systems)
    return case.effect.frozen is None and (bool(case.effect.breaks) or uses)


def _resolve(
    case: _Case,
    changes: Sequence[Change],
    target: Target,
    project: Project,
    catalogue: IndexCatalogue,
    today: dt.date,
) -> Becomes | NoAnswer:
    """Solve a group again as things would be; of what changes, the new is taken where it can be."""
    group, name = _wishing(case, changes), case.group.name
    changed = {change.component for change in changes}
    kept = replace(case.lock, systems=tuple(pin for pin in case.lock.systems if pin.component not in changed))
    try:
        answer = answer_group(project, group, target, catalogue, pinned_versions(kept), today)
    except SurroundingsError:
        raise
    except EnvlockError as error:
        return NoAnswer(group=name, why=str(error))
    if isinstance(answer, Refused):
        facts = ", ".join(answer.refusal.facts)
        why = f"refused by {facts}" if facts else f"nothing is left for {answer.refusal.component}"
        return NoAnswer(group=name, why=why, refusal=answer.refusal)
    lock = make_lock(answer, group, target, project)
    return Becomes(group=name, diff=diff_locks(case.lock, lock, project.knowledge))


def _wishing(case: _Case, changes: Sequence[Change]) -> Group:
    """The group with the wish for each upgrade in place of its own; what it lacks, it does not get."""
    locked = {pin.component for pin in case.lock.distributions}
    wishes = case.group.wishes
    for change in changes:
        if not isinstance(change, Upgrade) or change.component not in locked:
            continue
        own = next((wish for wish in wishes if wish.component == change.component), None)
        requirement = Requirement(f"{index_name(change.component)}=={change.version}")
        if own is not None and own.requirement is not None:
            requirement.extras = own.requirement.extras
        wish = Wish(
            component=change.component,
            range=Range.only(change.version),
            requirement=requirement,
            text=str(requirement),
            group=case.group.name,
        )
        wishes = (*(one for one in wishes if one.component != change.component), wish)
    return replace(case.group, wishes=wishes)
