"""From a group's wishes to its lock on disk."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from packaging.version import Version

from envlock import __version__
from envlock.app.collisions import find_collisions
from envlock.app.hashes import with_hashes
from envlock.app.layering import held_by_layers, held_interpreter, holding, lock_to_agree_with
from envlock.app.project import Project
from envlock.app.waivers import refuse_unbacked, waived
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.edges.lock_files import LockFile, read_lock, write_lock
from envlock.lifecycle.agreement import Agreement, agreement
from envlock.lifecycle.freeze import refuse_if_frozen
from envlock.model.errors import RefusedError, RequestError
from envlock.model.fact import Severity
from envlock.model.knowledge import Knowledge
from envlock.model.lock import Lock, same_answer
from envlock.model.manifest import Group, Manifest
from envlock.model.package_sources import Direct
from envlock.model.pins import Solved, Unsolvable
from envlock.model.progress import Progress
from envlock.model.target import Interpreter, Target
from envlock.solve.collisions import NATIVE_COLLISION, as_conflict
from envlock.solve.request import Request, era_of_pins
from envlock.solve.resolve import resolve
from envlock.solve.shared import Shared

_MAX_COLLISIONS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Locked:
    """A group with its lock, and its environment where one was made.

    Attributes:
        file: the lock on disk.
        changed: whether this run changed it.
        environment: the environment's prefix; ``None`` where only the lock was wanted.
        target: what it was solved for.
        agreement: how far it agrees with the group that it prefers to be the same as, if there is one.
    """

    file: LockFile
    changed: bool
    environment: Path | None
    target: Target
    agreement: Agreement | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A group that nothing answers.

    Attributes:
        refusal: what cannot hold together.
        knowledge: the knowledge base that refused, with the collisions of files that were met.
    """

    refusal: Unsolvable
    knowledge: Knowledge


def lock_group(
    project: Project,
    name: str,
    catalogue: IndexCatalogue,
    progress: Progress,
    *,
    upgrade: bool = False,
    target: Target | None = None,
    shared: Shared | None = None,
    today: dt.date | None = None,
) -> Locked | Refused:
    """Lock a group; what need not move does not.

    Args:
        project: the project.
        name: the group.
        catalogue: what the indexes offer.
        progress: who is told how far it is.
        upgrade: take the newest that fits, not what the lock has.
        target: what it is solved for, where the caller has looked already.
        shared: what other solves over the same catalogue and knowledge base have worked out.
        today: the day of the solve.

    Raises:
        RefusedError: the group is frozen, or a waiver claims evidence that does not count.
        RequestError: the group, a target or an interpreter is not there, or the manifest is wrong.
        SurroundingsError: the network or the disk failed; the old lock stays as it was.
    """
    group = project.manifest.group(name)
    path = project.lock_path(name)
    before = read_lock(path) if path.is_file() else None
    now = today or dt.datetime.now(dt.UTC).date()
    refuse_if_frozen(group, now)
    if target is None:
        with progress.task("looking at the target"):
            target = project.target()
    with progress.task(f"solving {name}"):
        kept = None if upgrade or not before else before.lock
        answer = answer_within_layers(project, group, target, catalogue, kept, now, shared=shared)
    claims = waived(project, name, target, now)
    refuse_unbacked(project, name, claims.unbacked, _met(answer))
    if isinstance(answer, Refused):
        return answer
    lock = make_lock(answer, group, target, project)
    changed = before is None or not same_answer(lock, before.lock)
    file = write_lock(path, lock) if changed or before is None else before
    like = lock_to_agree_with(project, group)
    return Locked(
        file=file,
        changed=changed,
        environment=None,
        target=target,
        agreement=agreement(file.lock, like) if like else None,
    )


def answer_within_layers(
    project: Project,
    group: Group,
    target: Target,
    catalogue: IndexCatalogue,
    before: Lock | None,
    today: dt.date,
    *,
    shared: Shared | None = None,
) -> Solved | Refused:
    """As ``answer_group``, with what others own held, and in agreement with another group where it asks so.

    Raises:
        RefusedError: ``not-yours``: the group asks for another Python than its owners have.
    """
    held = held_by_layers(project, group)
    like = lock_to_agree_with(project, group)
    return answer_group(
        holding(project, held),
        group,
        target,
        catalogue,
        (pinned_by(like) if like else {}) | (pinned_by(before) if before else {}),
        today,
        interpreter=held_interpreter(project, group, target, held),
        shared=shared,
    )


def _met(answer: Solved | Refused) -> list[str]:
    """The facts that shaped an answer, or refused one."""
    if isinstance(answer, Refused):
        return list(answer.refusal.facts)
    shaping = {fact for pin in answer.systems for fact in pin.facts}
    return sorted(shaping | {fact for pin in answer.distributions for fact in pin.facts})


def answer_group(
    project: Project,
    group: Group,
    target: Target,
    catalogue: IndexCatalogue,
    preferred: Mapping[str, str],
    today: dt.date,
    *,
    interpreter: Interpreter | None = None,
    shared: Shared | None = None,
) -> Solved | Refused:
    """An answer for a group whose wheels do not collide; each collision is learned and solved around.

    Args:
        project: the project.
        group: the group, perhaps with other wishes than the manifest's.
        target: what it is solved for.
        catalogue: what the indexes offer.
        preferred: component -> the version to keep where nothing speaks against it.
        today: waivers that have expired do not count.
        interpreter: the one to solve for; ``None`` for the newest that the group asks for.
        shared: what other solves over the same catalogue and knowledge base have worked out.
    """
    knowledge, shared = project.knowledge, shared or Shared()
    as_of = era_of_pins(group.wishes, knowledge, catalogue) if group.as_of == "auto" else group.as_of
    request = Request(
        wishes=group.wishes,
        target=target,
        interpreter=interpreter or choose_interpreter(group, target),
        as_of=None if as_of == "none" else as_of,
        preferred=preferred,
        policy=group.policy,
        era_of_pins=group.as_of == "auto",
        direct=_direct(group, project.manifest),
        waived=waived(project, group.name, target, today).facts,
    )
    for _ in range(_MAX_COLLISIONS):
        answer = resolve(request, knowledge, catalogue, shared)
        if isinstance(answer, Unsolvable):
            return Refused(refusal=answer, knowledge=knowledge)
        found = find_collisions(answer.distributions, catalogue, knowledge, today)
        known = {fact.id for fact in knowledge.facts} | request.waived
        met = {fact.id: fact for fact in map(as_conflict, found) if fact.severity is Severity.REFUSE}
        new = [fact for name, fact in met.items() if name not in known and NATIVE_COLLISION not in known]
        if not new:
            return with_hashes(answer, catalogue)
        knowledge = replace(knowledge, facts=(*knowledge.facts, *new))
    raise RefusedError(
        "native-collision",
        f"the wheels of every answer collide, in {_MAX_COLLISIONS} tries",
        where=f"group {group.name!r}",
        why="; ".join(finding.message for finding in found if finding.severity is Severity.REFUSE),
        hint="pin the distributions that should give way",
    )


def _direct(group: Group, manifest: Manifest) -> dict[str, Direct]:
    """The files and folders that take the place of indexes: the group's own before the manifest's."""
    own = {wish.component: wish.direct for wish in group.wishes if wish.direct is not None}
    return {**manifest.sources.direct, **own}


def pinned_by(lock: Lock) -> dict[str, str]:
    """Component -> version, of everything that a lock pins."""
    pinned = {pin.component: pin.version for pin in lock.systems}
    return pinned | {pin.component: pin.version for pin in lock.distributions}


def choose_interpreter(group: Group, target: Target) -> Interpreter:
    """The newest interpreter of the target that the group's Python range admits.

    Raises:
        RequestError: there is none.
    """
    fitting = [one for one in target.interpreters if group.python.contains(one.version)]
    if fitting:
        return max(fitting, key=lambda one: Version(one.version))
    found = ", ".join(one.version for one in target.interpreters) or "none"
    raise RequestError(
        "no-interpreter",
        f"the target {target.name!r} has no Python {group.python.text.removeprefix('==')}",
        where=f"group {group.name!r}",
        why=f"interpreters found: {found}",
        hint="install one and put it on PATH, or ask for another version with python = ...",
    )


def make_lock(answer: Solved, group: Group, target: Target, project: Project) -> Lock:
    """The lock that an answer becomes."""
    major, minor = answer.interpreter.release
    shaping = {fact for pin in answer.distributions for fact in pin.facts}
    shaping |= {fact for pin in answer.systems for fact in pin.facts}
    reasons = {fact.id: fact.reason for fact in project.knowledge.facts}
    return Lock(
        group=group.name,
        target=target.name,
        python=answer.interpreter.version,
        requires_python=f"=={major}.{minor}.*",
        environment=(
            f"sys_platform == 'linux' and platform_machine == '{target.machine}' "
            "and implementation_name == 'cpython'"
        ),
        distributions=answer.distributions,
        systems=answer.systems,
        facts={fact: reasons[fact] for fact in sorted(shaping & reasons.keys())},
        overrides={str(one.requirement): one.reason for one in group.policy.overrides},
        as_of=answer.as_of,
        knowledge=project.knowledge.digest,
        inputs=digest_of_inputs(group, project.manifest),
        created_by=f"envlock {__version__}",
    )


def digest_of_inputs(group: Group, manifest: Manifest) -> str:
    """What the lock is an answer to, as one hash: wishes, Python, cut-off, waivers."""
    document = {
        "wishes": sorted(wish.text for wish in group.wishes),
        "python": group.python.text,
        "as-of": str(group.as_of),
        "waivers": sorted(waiver.fact for waiver in manifest.waivers),
        **group.policy.document(),
        **manifest.sources.document(),
    }
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
