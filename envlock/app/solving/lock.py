"""From a group's wishes to its lock on disk."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress

from envlock import __version__
from envlock.app.project import Project
from envlock.app.solving.answer import answer_within_layers
from envlock.app.solving.build_remarks import (
    remarks_on_gpu_code,
    remarks_on_linked_wheels,
    remarks_on_links,
    remarks_on_target,
)
from envlock.app.solving.inputs import digest_of_inputs
from envlock.app.solving.layering import lock_to_agree_with
from envlock.app.solving.locked import Locked
from envlock.app.solving.refused import Refused
from envlock.app.solving.remarks import (
    remarks_on,
    remarks_on_day,
    remarks_on_fallen_back,
    remarks_on_kept,
    remarks_on_learned,
    remarks_on_markers,
    remarks_on_overrides,
    remarks_on_upgrade,
    remarks_on_waivers,
)
from envlock.app.solving.same_answer import note_same_answer
from envlock.app.solving.waivers import refuse_unbacked, waived
from envlock.edges.clock import today
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.edges.lock_files import read_own_lock, write_lock
from envlock.lifecycle.agreement import agreement
from envlock.lifecycle.freeze import refuse_if_frozen
from envlock.model.errors import EnvlockError
from envlock.model.locked.lock import Lock, same_answer
from envlock.model.locked.pins import Solved
from envlock.model.progress import Progress
from envlock.model.project.group import Group
from envlock.model.project.target import Target
from envlock.solve.offers.shared import Shared
from envlock.solve.request import EVERYTHING


def lock_group(
    project: Project,
    name: str,
    catalogue: IndexCatalogue,
    progress: Progress,
    *,
    upgrade: Collection[str] = (),
    target: Target | None = None,
    shared: Shared | None = None,
) -> Locked | Refused:
    """Lock a group; what need not move does not.

    Args:
        project: the project.
        name: the group.
        catalogue: what the indexes offer.
        progress: shows how far it is.
        upgrade: the components of which the newest that fits is taken, not what the lock has; ``EVERYTHING``
            for all.
        target: what it is solved for, where the caller has looked already.
        shared: what other solves over the same catalogue and knowledge base have worked out.

    Raises:
        RefusedError: the group is frozen, or a waiver claims evidence that does not count.
        RequestError: the group, a target or an interpreter is missing, or the manifest is invalid.
        SurroundingsError: the network or the disk failed; the old lock stays as it was.
    """
    group = project.manifest.group(name)
    project.need_known_target()
    path = project.lock_path(name)
    before = read_own_lock(path) if path.is_file() else None
    now = today()
    refuse_if_frozen(group, now, lost="" if before else str(path))
    if target is None:
        with progress.task("looking at the target"):
            target = project.target()
    with progress.task(f"solving {name}"):
        kept = None if EVERYTHING in upgrade or not before else before.lock
        shared = shared or Shared()

        def upgraded(names: Collection[str]) -> Solved | Refused:
            return answer_within_layers(
                project, group, target, catalogue, kept, now, upgrade=names, shared=shared
            )

        answer = upgraded(upgrade)
    claims = waived(project, name, target, now)
    refuse_unbacked(project, name, claims.unbacked, _met(answer))
    if isinstance(answer, Refused):
        return answer
    lock = make_lock(answer, group, target, project)
    changed = before is None or not same_answer(lock, before.lock)
    file = write_lock(path, lock) if changed or before is None else before
    if not changed:
        note_same_answer(project, file)
    like = lock_to_agree_with(project, group)
    return Locked(
        file=file,
        changed=changed,
        environment=None,
        target=target,
        agreement=agreement(file.lock, like) if like else None,
        remarks=(
            *remarks_on_waivers(project.manifest.waivers, project.knowledge, now),
            *remarks_on_markers(group, target, lambda: _targets(project)),
            *remarks_on_day(group, now),
            *remarks_on_overrides(answer, group),
            *remarks_on(answer, group.wishes, catalogue),
            *(finding.note for finding in answer.warned),
            *remarks_on_learned(answer),
            *remarks_on_fallen_back(answer, project.named(group.name)),
            *remarks_on_target(target, answer),
            *remarks_on_links(answer),
            *remarks_on_gpu_code(answer, target, catalogue.local_file),
            *remarks_on_linked_wheels(answer, catalogue.local_file),
            *remarks_on_kept(
                answer, kept, group.wishes, catalogue, lambda names: upgraded([*upgrade, *names])
            ),
        ),
        absent=remarks_on_upgrade(answer, upgrade),
    )


def _targets(project: Project) -> Iterator[Target]:
    """Yield the targets of the manifest that can be read."""
    for name in project.manifest.targets:
        with suppress(EnvlockError):
            yield project.on(name).target()


def _met(answer: Solved | Refused) -> list[str]:
    """Return the facts that shaped an answer, or refused one."""
    if isinstance(answer, Refused):
        return list(answer.refusal.facts)
    return sorted(answer.shaping)


def make_lock(answer: Solved, group: Group, target: Target, project: Project) -> Lock:
    """Turn an answer into a lock."""
    major, minor = answer.interpreter.release
    shaping = answer.shaping
    known = {name: fact.reason for name in shaping if (fact := project.knowledge.facts.named(name))}
    known |= {name: answer.learned[name] for name in shaping & answer.learned.keys()}
    learned = {name: answer.conflicts[name] for name in sorted(shaping & answer.conflicts.keys())}
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
        facts={name: known[name] for name in sorted(known)},
        learned=learned,
        overrides={str(override.requirement): override.reason for override in group.policy.overrides},
        as_of=answer.as_of,
        python_because=answer.python_because,
        knowledge=project.knowledge.digest,
        inputs=digest_of_inputs(group, project.manifest),
        created_by=f"envlock {__version__}",
    )
