"""``where`` and ``run``: a group's current environment."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from envlock.app.making.keys import is_of_lock
from envlock.app.making.markers import interpreter_modules, lock_copy
from envlock.app.project import Project
from envlock.edges.environments.activation import activation
from envlock.edges.environments.interpreter_links import lost_interpreter
from envlock.edges.lock_files import LockFile, read_lock
from envlock.edges.modules import with_modules
from envlock.edges.store.completeness import MARKER
from envlock.edges.visible import is_nowhere
from envlock.model.decode import Table
from envlock.model.errors import RefusedError, RequestError, SurroundingsError
from envlock.model.frozen import dataclass
from envlock.model.locked.integrity import Inventory, decode_inventory
from envlock.model.locked.pinned import modules_of
from envlock.model.near_names import near_names

_LIBRARIES = "LD_LIBRARY_PATH"
_OF_SHELLS = ("_", "BASH_FUNC_", "LMOD_", "SHLVL", "PWD", "OLDPWD")
"""The beginnings of what a shell that loads modules keeps for itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Current:
    """A group's environment as it is used now.

    Attributes:
        prefix: the environment's prefix.
        file: the group's lock as it lies on disk now.
        made_from: the lock that the environment was made from.
        interpreter_modules: the modules without which its interpreter does not start.
    """

    prefix: Path
    file: LockFile
    made_from: LockFile
    interpreter_modules: tuple[str, ...] = ()

    @property
    def matches(self) -> bool:
        """Whether it was made from the lock as it lies on disk now."""
        return self.made_from is self.file

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules to load for it, in order."""
        return tuple(dict.fromkeys((*self.interpreter_modules, *modules_of(self.made_from.lock.systems))))


def current(project: Project, group: str) -> Current:
    """Return a group's current environment.

    Raises:
        RequestError: the group has no lock or no environment yet.
        RefusedError: the environment belongs to another lock, which it has not kept.
    """
    path, hint = project.need_lock(group, whole=True), f"envlock solve {project.named(group)}"
    file = read_lock(path)
    prefix = project.store.current(project.options.target, group)
    if prefix is None:
        raise RequestError(
            "no-environment", f"the group {group!r} has no environment yet", where=str(path), hint=hint
        )
    made_from = file if is_of_lock(prefix.name, file) else kept_lock(project, prefix, group)
    return Current(
        prefix=prefix,
        file=file,
        made_from=made_from,
        interpreter_modules=interpreter_modules(project, prefix),
    )


def inventory_of(project: Project, prefix: Path) -> Inventory:
    """Return what a complete environment held, as its marker says.

    Raises:
        RequestError: ``file-missing`` or ``marker-damaged``; or the inventory is malformed.
    """
    return decode_inventory(Table(project.store.marker(prefix.name), file=str(prefix / MARKER)))


def kept_lock(project: Project, prefix: Path, group: str) -> LockFile:
    """Return the lock that an environment was made from, as it keeps it.

    Without it, the environment would run with the system components of another lock.

    Raises:
        RefusedError: it is missing, cannot be read, or is another one.
    """
    try:
        kept = read_lock(lock_copy(prefix, group))
    except (RequestError, SurroundingsError) as error:
        why = str(error)
    else:
        if is_of_lock(prefix.name, kept):
            return kept
        why = f"the lock in it is another one, sha256 {kept.sha256}"
    raise RefusedError(
        "lock-not-kept",
        f"an environment of {group!r} has not kept the lock that it was made from",
        where=str(prefix),
        why=why,
        hint=f"restore the lock from version control, then: envlock solve {project.named(group)}",
    )


def need_interpreter(found: Current) -> None:
    """Refuse an environment without its interpreter: program names would resolve to some other Python's.

    Raises:
        SurroundingsError: ``environment-without-python``.
    """
    lost = lost_interpreter(found.prefix)
    if lost is not None:
        raise SurroundingsError(
            "environment-without-python",
            "the interpreter that the environment was made with cannot be seen from here",
            where=str(found.prefix / "bin/python"),
            why=f"{lost} is not there, or lies in a folder that you may not enter",
            hint="restore it, or work where it is; if it is gone for good, solve again for a new environment",
        )


def variables(found: Current, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the environment variables that activate a group's environment and its system components.

    These components are what the environment was built against, even where the group's lock has moved on.

    Raises:
        SurroundingsError: its interpreter is gone, or a module that the lock wants cannot be loaded here.
    """
    need_interpreter(found)
    systems = found.made_from.lock.systems
    return activation(with_modules(environ, found.modules), prefix=found.prefix, systems=systems)


def for_other_nodes(
    active: Mapping[str, str], own: Mapping[str, str], environ: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """Return the variables that an environment needs on other nodes: its activation, and what modules set.

    Not all launchers pass on the rest: an mpirun by ssh or under PBS does not, and libraries of an MPI or a
    CUDA that are known by their module alone are found by the folders that the module sets.

    Args:
        active: the variables of an active environment.
        own: its activation alone.
        environ: the variables before.
    """
    return {
        name: value
        for name, value in active.items()
        if name in own
        or name == _LIBRARIES
        or (environ.get(name) != value and not name.startswith(_OF_SHELLS))
    }


def _no_command(found: Current, name: str, path: str) -> RequestError:
    """Return the error that there is no such command, with what may have been meant, ready to raise.

    A name with a slash is a path, and is looked for nowhere else.
    """
    if os.sep in name:
        hint = "a path is relative to the folder where envlock started; a bare name is looked up on PATH"
        where = str(Path(name).absolute())
        return RequestError("no-command", f"there is no program {name!r}", where=where, hint=hint)
    programs = found.prefix / "bin"
    near = near_names(name, sorted(program.name for program in programs.iterdir()))
    rest = f"the environment's own commands are in {programs}; what else it needs belongs in requires"
    hint = f"did you mean {near[0]!r}? {rest}" if near else rest
    return RequestError("no-command", f"there is no command {name!r}", where=f"PATH={path}", hint=hint)


def run(found: Current, command: Sequence[str]) -> NoReturn:
    """Become a command inside a group's environment; does not return.

    Raises:
        RequestError: there is no such command, or it cannot be run.
    """
    active = variables(found)
    try:
        os.execvpe(command[0], list(command), active)  # noqa: S606 - the user's own command, no shell
    except OSError as error:
        if isinstance(error, FileNotFoundError) or is_nowhere(command[0], active["PATH"]):
            raise _no_command(found, command[0], active["PATH"]) from None
        raise RequestError(
            "command-not-runnable",
            f"{command[0]!r} cannot be run",
            where=shutil.which(command[0], mode=os.F_OK, path=active["PATH"]) or command[0],
            why=error.strerror or str(error),
            hint="make it executable, or name its interpreter: -- python FILE",
        ) from error
