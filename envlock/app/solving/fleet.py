"""Solving many groups for many targets at once: each input is read once, and solves share their results."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import nullcontext
from functools import cache

from envlock.app.making.create import create_from_lock
from envlock.app.nodes import need_node
from envlock.app.project import Project, need_open_store, need_place_on_path
from envlock.app.solving.as_locked import create_as_locked
from envlock.app.solving.lock import lock_group
from envlock.app.solving.locked import Locked, with_environment
from envlock.app.solving.refused import Refused
from envlock.edges.clock import today
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.lifecycle.freeze import holds
from envlock.model.errors import EnvlockError, ExitStatus, RequestError
from envlock.model.frozen import dataclass
from envlock.model.progress import Progress, Silent
from envlock.model.project.group import Freeze
from envlock.model.project.target import Target
from envlock.solve.offers.shared import Shared


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetOutcome:
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
        """The exit status of this outcome alone; that a frozen group does not move is no failure."""
        if isinstance(self.result, EnvlockError):
            return self.result.status
        return ExitStatus.NO if isinstance(self.result, Refused) else ExitStatus.YES


def solve_fleet(
    project: Project,
    groups: Sequence[str],
    targets: Sequence[str],
    catalogue: IndexCatalogue,
    progress: Progress,
    *,
    lock_only: bool = False,
    upgrade: Collection[str] = (),
) -> tuple[FleetOutcome, ...]:
    """Solve every group on every target; a refusal or failure of one does not stop the others.

    Args:
        project: the project.
        groups: names of groups; none for all of the manifest's.
        targets: names of targets; none for all of the manifest's.
        catalogue: what the indexes offer.
        progress: shows how far it is.
        lock_only: whether to stop at the locks; else each environment is created too.
        upgrade: the components of which the newest that fits is taken; ``EVERYTHING`` for all.

    Raises:
        RequestError: a named group or target does not exist, or all are meant and there is none.
    """
    # A group depends on the locks of the group that it extends and of the one it agrees with: these go first.
    names = sorted(groups or project.manifest.groups, key=lambda name: _depth(project, name))
    places = targets or tuple(project.manifest.targets)
    _need_some(names, places, project)
    look = cache(project.machine)
    found = {name: project.on(name).target(look) for name in places}
    solve = _Solve(catalogue=catalogue, upgrade=upgrade, shared=Shared())
    with progress.task("solving", len(names) * len(places)) as task:

        def outcomes() -> Iterator[FleetOutcome]:
            for name in names:
                for target in found.values():
                    task.note(f"{name} on {target.name}")
                    yield _outcome(project.on(target.name), name, target, solve, lock_only=lock_only)
                    task.advance()

        return tuple(outcomes())


def _need_some(names: Sequence[str], places: Sequence[str], project: Project) -> None:
    """Refuse to do nothing and report success: a build server would never notice."""
    for kind, found, hint in (
        ("group", names, "add [groups.NAME] with requires"),
        ("target", places, "envlock detect --save NAME writes one; for this machine leave --all-targets out"),
    ):
        if not found:
            message = f"all {kind}s are meant, and the manifest has none"
            raise RequestError(f"no-{kind}s", message, where=project.manifest.file, hint=hint)


def _depth(project: Project, name: str, below: tuple[str, ...] = ()) -> int:
    """Return how deep a group's chain of others is: those that it extends, and those that it agrees with."""
    group = project.manifest.group(name)
    looked_at = {group.extends, group.policy.prefer_same_as} - {"", name, *below}
    return max((1 + _depth(project, other, (*below, name)) for other in looked_at), default=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Solve:
    """What all solves of one run share."""

    catalogue: IndexCatalogue
    upgrade: Collection[str]
    shared: Shared


def _outcome(project: Project, name: str, target: Target, solve: _Solve, *, lock_only: bool) -> FleetOutcome:
    try:
        result = _locked(project, name, target, solve) if lock_only else _made(project, name, target, solve)
    except EnvlockError as error:
        return FleetOutcome(group=name, target=target.name, result=error)
    return FleetOutcome(group=name, target=target.name, result=result)


def _locked(project: Project, name: str, target: Target, solve: _Solve) -> Locked | Refused | Freeze:
    return _held(project, name) or lock_group(
        project,
        name,
        solve.catalogue,
        Silent(),
        upgrade=solve.upgrade,
        target=target,
        shared=solve.shared,
    )


def _held(project: Project, name: str) -> Freeze | None:
    freeze = project.manifest.group(name).frozen
    return freeze if holds(freeze, today()) else None


def _made(project: Project, name: str, target: Target, solve: _Solve) -> Locked | Refused | Freeze:
    """Return the lock and its environment; the existing lock where a solve would only say the same again."""
    catalogue = solve.catalogue
    if not solve.upgrade:
        as_locked = create_as_locked(project, name, catalogue, lambda: nullcontext(catalogue), Silent())
        if as_locked is not None:
            return as_locked
    if (freeze := _held(project, name)) is not None:
        return freeze
    need_node(f"an environment of {name!r} on this machine", project.manifest.targets)
    need_open_store(project)
    need_place_on_path(project)
    result = _locked(project, name, target, solve)
    if not isinstance(result, Locked):
        return result
    prefix = create_from_lock(project, result.file, target, catalogue, Silent())
    return with_environment(result, project, prefix)
