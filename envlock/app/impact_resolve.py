"""What groups would have if they were solved again after a change of the site, extended groups first."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from envlock.app.project import Project
from envlock.app.solving.answer import answer_group
from envlock.app.solving.layering import held_interpreter, holding
from envlock.app.solving.lock import make_lock
from envlock.app.solving.refused import Refused
from envlock.app.version_request import requesting_version
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.lifecycle.diff import Diff, diff_locks
from envlock.lifecycle.impact import Effect, SiteAddition, SiteChange, Upgrade
from envlock.model.errors import EnvlockError, SurroundingsError
from envlock.model.frozen import dataclass
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.lock import Lock
from envlock.model.locked.pinned import locked_versions
from envlock.model.locked.pins import Unsolvable
from envlock.model.project.group import Group
from envlock.model.project.target import Target
from envlock.solve.held import Held, as_facts, held_components


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One group with its lock, and what would become of it."""

    group: Group
    lock: Lock
    effect: Effect


@dataclass(frozen=True, slots=True, kw_only=True)
class Becomes:
    """What a group would have if it were solved again."""

    group: str
    diff: Diff


@dataclass(frozen=True, slots=True, kw_only=True)
class NoAnswer:
    """Why a group would have nothing; ``refusal`` says what cannot hold together, where that is known."""

    group: str
    why: str
    refusal: Unsolvable | None = None


def solve_again(
    cases: Sequence[Case],
    changes: Sequence[SiteChange],
    target: Target,
    project: Project,
    catalogue: IndexCatalogue,
    today: dt.date,
) -> tuple[Becomes | NoAnswer, ...]:
    """Solve the groups that may move, and either would have to or could take what is added.

    What a group extends and others own stays as the extended group would have it: moved where that group
    moves, and as it is where that group is frozen or nothing answers it.

    Raises:
        SurroundingsError: an index could not be read.
    """
    locks = {case.group.name: case.lock for case in cases}
    found = dict[str, Becomes | NoAnswer]()
    for case in sorted(cases, key=lambda case: len(_extended(case.group, project))):
        if not _to_solve(case, changes):
            continue
        held = _held(case.group, locks, project)
        outcome, lock = _resolve(case, changes, target, project, held, catalogue, today)
        found[case.group.name] = outcome
        locks[case.group.name] = lock
    return tuple(found[case.group.name] for case in cases if case.group.name in found)


def _extended(group: Group, project: Project) -> list[str]:
    """Return the groups that a group extends, nearest first."""
    names = list[str]()
    while group.extends:
        names.append(group.extends)
        group = project.manifest.group(group.extends)
    return names


def _held(group: Group, locks: Mapping[str, Lock], project: Project) -> tuple[Held, ...]:
    """Return what others own in the lock of the nearest extended group that has one: it stays."""
    parent = next((locks[name] for name in _extended(group, project) if name in locks), None)
    return held_components(parent, group, project.manifest.layers, project.knowledge) if parent else ()


def _to_solve(case: Case, changes: Iterable[SiteChange]) -> bool:
    """Whether a group may move, and either breaks or uses another version of what is added."""
    added = {change.component for change in changes if isinstance(change, SiteAddition)}
    uses = any(pin.component in added for pin in case.lock.systems)
    return case.effect.frozen is None and (bool(case.effect.breaks) or uses)


def _resolve(
    case: Case,
    changes: Sequence[SiteChange],
    target: Target,
    project: Project,
    held: tuple[Held, ...],
    catalogue: IndexCatalogue,
    today: dt.date,
) -> tuple[Becomes | NoAnswer, Lock]:
    """Return what a group would have, and its lock then; new versions of what changes come if they can."""
    group, name = _wishing(case, changes, project.knowledge), case.group.name
    changed = {change.component for change in changes}
    kept = replace(case.lock, systems=tuple(pin for pin in case.lock.systems if pin.component not in changed))
    there, versions = holding(project, held), locked_versions(kept)
    try:
        python = held_interpreter(project, group, target, held)
        owned = {part.component: part.version for part in held}
        answer = answer_group(
            there, group, target, catalogue, versions, today, owned=owned, interpreter=python
        )
    except SurroundingsError:
        raise
    except EnvlockError as error:
        return NoAnswer(group=name, why=f"{error}; {error.hint}"), case.lock
    if isinstance(answer, Refused):
        facts = as_facts(held, project.manifest.layers, project.knowledge)
        why = _why(answer, {fact.id: fact.reason for fact in facts})
        return NoAnswer(group=name, why=why, refusal=answer.refusal), case.lock
    lock = make_lock(answer, group, target, project)
    return Becomes(group=name, diff=diff_locks(case.lock, lock, project.knowledge)), lock


def _why(answer: Refused, owned: Mapping[str, str]) -> str:
    """Explain why nothing answers: facts by name (to look up), what others own, and whom to ask."""
    facts = ", ".join(name for name in answer.refusal.facts if name not in owned)
    asked = dict.fromkeys(owned[name] for name in answer.refusal.facts if name in owned)
    parts = [f"refused by {facts}" if facts else "", *asked]
    return "; ".join(filter(None, parts)) or f"nothing is left for {answer.refusal.component}"


def _wishing(case: Case, changes: Sequence[SiteChange], knowledge: Knowledge) -> Group:
    """Return the group asking for each upgraded version; what its lock does not have is not added."""
    locked = {pin.component for pin in case.lock.distributions}
    group = case.group
    for change in changes:
        if isinstance(change, Upgrade) and change.component in locked:
            group = requesting_version(group, change.component, change.version, knowledge)
    return group
