"""Locking many groups for many targets at once: everything is read once, and what solves share is kept."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from functools import cache

from envlock.app.answer import Refused
from envlock.app.lock import lock_group
from envlock.app.locked import Locked
from envlock.app.project import Project, look_at_machine
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.lifecycle.freeze import holds
from envlock.model.errors import EnvlockError, ExitStatus
from envlock.model.frozen import dataclass
from envlock.model.manifest import Freeze
from envlock.model.progress import Progress, Silent
from envlock.model.target import Target
from envlock.solve.shared import Shared


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one group on one target.

    Attributes:
        group: the group's name.
        target: the target's name.
        result: its lock or its refusal, the promise that keeps it as it is, or what went wrong.
    """

    group: str
    target: str
    result: Locked | Refused | Freeze | EnvlockError

    @property
    def status(self) -> ExitStatus:
        """The exit status of this one alone; a group that is meant not to move is no failure."""
        if isinstance(self.result, EnvlockError):
            return self.result.status
        return ExitStatus.NO if isinstance(self.result, Refused) else ExitStatus.YES


def lock_fleet(
    project: Project,
    groups: Sequence[str],
    targets: Sequence[str],
    catalogue: IndexCatalogue,
    progress: Progress,
    *,
    upgrade: bool = False,
    today: dt.date | None = None,
) -> tuple[Outcome, ...]:
    """Lock every group on every target; where one is refused or fails, the others are locked all the same.

    Args:
        project: the project.
        groups: names of groups; none for all of the manifest's.
        targets: names of targets; none for all of the manifest's.
        catalogue: what the indexes offer.
        progress: who is told how far it is.
        upgrade: take the newest that fits, not what the locks have.
        today: the day of the solve.

    Raises:
        RequestError: a group or a target that was named is not there.
    """
    now = today or dt.datetime.now(dt.UTC).date()
    # A group keeps what others own of the group that it extends, and agrees with another: these go first.
    names = sorted(groups or project.manifest.groups, key=lambda name: _depth(project, name))
    places = targets or tuple(project.manifest.targets)
    look = cache(look_at_machine)
    found = {name: project.on(name).target(look) for name in places}
    shared = Shared()
    with progress.task("solving", len(names) * len(places)) as task:

        def outcomes() -> Iterator[Outcome]:
            for name in names:
                for target in found.values():
                    task.note(f"{name} on {target.name}")
                    yield _outcome(project, name, target, catalogue, upgrade=upgrade, now=now, shared=shared)
                    task.advance()

        return tuple(outcomes())


def _depth(project: Project, name: str, below: tuple[str, ...] = ()) -> int:
    """How many groups a group looks at, one by the other: those that it extends, and those it agrees with."""
    group = project.manifest.group(name)
    looked_at = {group.extends, group.policy.prefer_same_as} - {"", name, *below}
    return max((1 + _depth(project, one, (*below, name)) for one in looked_at), default=0)


def _outcome(
    project: Project,
    name: str,
    target: Target,
    catalogue: IndexCatalogue,
    *,
    upgrade: bool,
    now: dt.date,
    shared: Shared,
) -> Outcome:
    freeze = project.manifest.group(name).frozen
    if freeze is not None and holds(freeze, now):
        return Outcome(group=name, target=target.name, result=freeze)
    place = project.on(target.name)
    try:
        result: Locked | Refused | EnvlockError = lock_group(
            place, name, catalogue, Silent(), upgrade=upgrade, target=target, shared=shared, today=now
        )
    except EnvlockError as error:
        result = error
    return Outcome(group=name, target=target.name, result=result)
