"""``where`` and ``run``: a group's current environment."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from envlock.app.create import environment_key
from envlock.app.project import Project
from envlock.edges.activation import activation
from envlock.edges.lock_files import LockFile, read_lock
from envlock.model.errors import RequestError


@dataclass(frozen=True, slots=True, kw_only=True)
class Current:
    """A group's environment as it is used now.

    Attributes:
        prefix: the environment's prefix.
        file: the lock that it was made from.
        matches: whether it was made from the lock as it lies on disk now.
    """

    prefix: Path
    file: LockFile
    matches: bool


def current(project: Project, group: str) -> Current:
    """A group's current environment.

    Raises:
        RequestError: the group has no lock or no environment yet.
    """
    project.manifest.group(group)
    path = project.lock_path(group)
    hint = f"envlock solve {group}"
    if not path.is_file():
        raise RequestError("not-locked", f"the group {group!r} has no lock", where=str(path), hint=hint)
    file = read_lock(path)
    prefix = project.store.current(project.options.target, group)
    if prefix is None:
        raise RequestError(
            "no-environment", f"the group {group!r} has no environment yet", where=str(path), hint=hint
        )
    return Current(prefix=prefix, file=file, matches=prefix.name == environment_key(file))


def variables(found: Current, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The environment variables with which a group's environment and its system components are active."""
    return activation(environ, prefix=found.prefix, systems=found.file.lock.systems)


def run(found: Current, command: Sequence[str]) -> NoReturn:
    """Become a command inside a group's environment; does not return.

    Raises:
        RequestError: there is no such command.
    """
    active = variables(found)
    try:
        os.execvpe(command[0], list(command), active)  # noqa: S606 - the user's own command, no shell
    except FileNotFoundError:
        raise RequestError(
            "no-command", f"there is no command {command[0]!r}", where=f"PATH={active['PATH']}"
        ) from None
