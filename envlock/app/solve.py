"""``solve``: from a group's wishes to a lock, and from the lock to an environment."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from dataclasses import dataclass, replace
from pathlib import Path

from packaging.version import Version

from envlock import __version__
from envlock.app.collisions import find_collisions
from envlock.app.create import create_from_lock, environment_key
from envlock.app.project import Project
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.edges.lock_files import LockFile, read_lock, write_lock
from envlock.lifecycle.freeze import holds, refuse_if_frozen
from envlock.model.errors import RefusedError, RequestError
from envlock.model.fact import Severity
from envlock.model.knowledge import Knowledge
from envlock.model.lock import Lock, same_answer
from envlock.model.manifest import Group, Manifest
from envlock.model.pins import Solved, Unsolvable
from envlock.model.progress import Progress
from envlock.model.target import Interpreter, Target
from envlock.solve.collisions import NATIVE_COLLISION, as_conflict
from envlock.solve.request import Request, era_of_pins
from envlock.solve.resolve import resolve

_MAX_COLLISIONS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Locked:
    """A group with its lock, and its environment where one was made.

    Attributes:
        file: the lock on disk.
        changed: whether this run changed it.
        environment: the environment's prefix; ``None`` where only the lock was wanted.
        target: what it was solved for.
    """

    file: LockFile
    changed: bool
    environment: Path | None
    target: Target


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A group that nothing answers.

    Attributes:
        refusal: what cannot hold together.
        knowledge: the knowledge base that refused, with the collisions of files that were met.
    """

    refusal: Unsolvable
    knowledge: Knowledge


def solve(
    project: Project,
    name: str,
    catalogue: IndexCatalogue,
    progress: Progress,
    *,
    lock_only: bool = False,
    upgrade: bool = False,
    today: dt.date | None = None,
) -> Locked | Refused:
    """Lock a group and create its environment; what need not move does not.

    Raises:
        RefusedError: the group is frozen.
        RequestError: the group, a target or an interpreter is not there, or the manifest is wrong.
        SurroundingsError: the network, the disk or a build failed; the old lock and environment stay usable.
    """
    group = project.manifest.group(name)
    path = project.lock_path(name)
    before = read_lock(path) if path.is_file() else None
    now = today or dt.datetime.now(dt.UTC).date()
    frozen = holds(group.frozen, now)
    # A frozen group's lock never changes, but its environment may be made again from it.
    restore = (
        frozen and before is not None and not (lock_only or upgrade) and not _has_environment(project, before)
    )
    if frozen and not restore:
        refuse_if_frozen(group, now)
    with progress.task("looking at the target"):
        target = project.target()
    if before is not None and restore:
        restored = create_from_lock(project, before, target, catalogue, progress)
        return Locked(file=before, changed=False, environment=restored, target=target)
    with progress.task(f"solving {name}"):
        kept = None if upgrade or not before else before.lock
        answer = answer_group(project, group, target, catalogue, kept, now)
    if isinstance(answer, Refused):
        return answer
    lock = make_lock(answer, group, target, project)
    changed = before is None or not same_answer(lock, before.lock)
    file = write_lock(path, lock) if changed or before is None else before
    prefix = None if lock_only else create_from_lock(project, file, target, catalogue, progress)
    return Locked(file=file, changed=changed, environment=prefix, target=target)


def _has_environment(project: Project, file: LockFile) -> bool:
    return project.store.environment(environment_key(file)) is not None


def answer_group(
    project: Project,
    group: Group,
    target: Target,
    catalogue: IndexCatalogue,
    before: Lock | None,
    today: dt.date,
) -> Solved | Refused:
    """An answer for a group whose wheels do not collide; each collision is learned and solved around.

    Args:
        project: the project.
        group: the group, perhaps with other wishes than the manifest's.
        target: what it is solved for.
        catalogue: what the indexes offer.
        before: the lock whose pins are kept where nothing speaks against them; ``None`` for the newest.
        today: waivers that have expired do not count.
    """
    knowledge = project.knowledge
    as_of = era_of_pins(group.wishes, knowledge, catalogue) if group.as_of == "auto" else group.as_of
    request = Request(
        wishes=group.wishes,
        target=target,
        interpreter=choose_interpreter(group, target),
        as_of=None if as_of == "none" else as_of,
        preferred=_pinned(before) if before else {},
        waived=frozenset(waiver.fact for waiver in project.manifest.waivers if waiver.expires >= today),
    )
    for _ in range(_MAX_COLLISIONS):
        answer = resolve(request, knowledge, catalogue)
        if isinstance(answer, Unsolvable):
            return Refused(refusal=answer, knowledge=knowledge)
        found = find_collisions(answer.distributions, catalogue, knowledge, today)
        known = {fact.id for fact in knowledge.facts} | request.waived
        met = {fact.id: fact for fact in map(as_conflict, found) if fact.severity is Severity.REFUSE}
        new = [fact for name, fact in met.items() if name not in known and NATIVE_COLLISION not in known]
        if not new:
            return answer
        knowledge = replace(knowledge, facts=(*knowledge.facts, *new))
    raise RefusedError(
        "native-collision",
        f"the wheels of every answer collide, in {_MAX_COLLISIONS} tries",
        where=f"group {group.name!r}",
        why="; ".join(finding.message for finding in found if finding.severity is Severity.REFUSE),
        hint="pin the distributions that should give way",
    )


def _pinned(lock: Lock) -> dict[str, str]:
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
    }
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
