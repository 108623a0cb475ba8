"""``repair``: compare an environment's files with what was installed, and install anew what differs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from envlock.app.making.create import wheel_maker
from envlock.app.making.environment import current, inventory_of, kept_lock
from envlock.app.making.wheels import FileSource
from envlock.app.project import Project, need_open_store
from envlock.edges.environments.installed_files import examine
from envlock.edges.environments.virtual_environments import installed, is_build_of, mend_environment
from envlock.edges.store.protection import who_alone_may_remove
from envlock.model.counting import number_of
from envlock.model.errors import RefusedError
from envlock.model.frozen import dataclass
from envlock.model.locked.integrity import Damage, Flaw
from envlock.model.locked.lock import Lock
from envlock.model.locked.pins import DistributionPin
from envlock.model.progress import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """How an environment was found, and what became of it.

    Attributes:
        prefix: the environment.
        distributions: how many distributions were looked at.
        flaws: what differed from what was installed.
        left: what still differs: everything after a dry run; after a repair, files of no distribution, which
            may be somebody's work and are left to people.
    """

    prefix: Path
    distributions: int
    flaws: tuple[Flaw, ...]
    left: tuple[Flaw, ...]


def repair(project: Project, group: str, source: FileSource, progress: Progress, *, dry_run: bool) -> Repair:
    """Compare a group's environment with its lock and its RECORDs, and install anew what differs.

    Works on the lock that the environment was made from, and on frozen groups too: nothing moves.

    Raises:
        RequestError: the group has no environment, or its target no longer has the interpreter.
        RefusedError: the environment has lost the lock that it was made from, or is another user's.
        SurroundingsError: the store is not the user's to write to, or a download, a build or the disk failed;
            what was mended until then stays mended.
    """
    prefix = current(project, group).prefix
    lock = kept_lock(project, prefix, group).lock
    flaws = _examine(project, prefix, lock, progress)
    left = flaws
    if flaws and not dry_run:
        need_open_store(project)
        _refuse_anothers(prefix)
        _mend(project, prefix, lock, flaws, source, progress)
        left = _examine(project, prefix, lock, progress)
    return Repair(prefix=prefix, distributions=len(lock.distributions), flaws=flaws, left=left)


def _refuse_anothers(prefix: Path) -> None:
    owner = who_alone_may_remove(prefix)
    if owner:
        raise RefusedError(
            "environment-of-another",
            "the environment is not yours to repair",
            where=str(prefix),
            why=f"it is read-only, and {owner} made it",
            hint=f"ask {owner} to run the same command; envlock repair --dry-run shows what differs",
        )


def _examine(project: Project, prefix: Path, lock: Lock, progress: Progress) -> tuple[Flaw, ...]:
    inventory = inventory_of(project, prefix)
    found = installed(prefix)
    expected = {pin.name: _expected(pin, found.get(pin.name, "")) for pin in lock.distributions}
    with progress.task(f"reading {number_of(len(expected), 'distribution')}", total=len(expected)) as task:

        def reading(name: str) -> None:
            task.note(name)
            task.advance()

        return examine(prefix, expected, inventory, reading)


def _expected(pin: DistributionPin, found: str) -> str:
    """Return the version that should be there: what was built here may have got a local part besides.

    vLLM, for one, names the CUDA that it was compiled with (``+cu124``).
    """
    return found if pin.build and is_build_of(found, pin.version) else pin.version


def _mend(
    project: Project,
    prefix: Path,
    lock: Lock,
    flaws: Sequence[Flaw],
    source: FileSource,
    progress: Progress,
) -> None:
    maker = wheel_maker(project, lock, project.target(), source, progress)
    damaged = {flaw.distribution for flaw in flaws}
    wheels = maker.wheels(pin for pin in lock.distributions if pin.name in damaged)
    foreign = sorted(
        {flaw.distribution for flaw in flaws if flaw.damage is Damage.FOREIGN and flaw.distribution}
    )
    with progress.task(f"installing {number_of(len(wheels), 'distribution')} anew") as task:
        project.store.mend(
            prefix.name,
            lambda prefix: mend_environment(
                prefix,
                interpreter=maker.interpreter,
                wheels=wheels,
                foreign=foreign,
                bytecode=project.store.bytecode,
                log=project.store.log(prefix.name),
                on_line=task.note,
            ),
        )
