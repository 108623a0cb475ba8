"""``activate`` and ``module``: a group's environment for shells and for the site's modules."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

from envlock.app.making.environment import Current
from envlock.app.project import Project
from envlock.edges.environments.activation import PREPENDED, REMOVED, activation
from envlock.edges.files import read_bytes, write_text
from envlock.edges.visible import is_file
from envlock.model.counting import number_of
from envlock.model.errors import RefusedError, RequestError
from envlock.model.frozen import dataclass
from envlock.model.locked.activation import WRITTEN_BY, Activation
from envlock.model.locked.pinned import pinned_versions

_FIELD = re.compile(r"\{([^{}]*)\}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*(/[A-Za-z0-9][A-Za-z0-9._+-]*)*")
_LOCK_DIGITS = 8


def activation_of(found: Current) -> Activation:
    """Return what makes a group's environment active."""
    lock = found.made_from.lock
    parts = number_of(len(lock.distributions), "distribution")
    own = activation({}, prefix=found.prefix, systems=lock.systems)
    return Activation(
        title=f"{lock.group} on {lock.target}: Python {lock.python}, {parts}",
        group=lock.group,
        modules=found.modules,
        prepended={name: tuple(own[name].split(os.pathsep)) for name in sorted(own) if name in PREPENDED},
        set={name: own[name] for name in sorted(own) if name not in PREPENDED},
        unset=tuple(sorted(REMOVED)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleFile:
    """A module file that was written.

    Attributes:
        name: what users load.
        path: the file.
        prefix: the environment that it activates; garbage collection keeps it while the file is there.
    """

    name: str
    path: Path
    prefix: Path


def write_module(
    project: Project,
    found: Current,
    *,
    folder: Path,
    name: str,
    suffix: str,
    write: Callable[[Activation, str], str],
) -> ModuleFile:
    """Write a module file for the environment that a group has now; later ones get files of their own.

    Args:
        project: the project.
        found: the environment.
        folder: a folder of ``MODULEPATH``.
        name: the module's name, with fields: ``{group}``, ``{target}``, ``{python}`` (major and minor
            version), ``{lock}`` (first digits of its hash), or a component of the lock for its version.
        suffix: that of the file.
        write: makes the text from the activation and the whole name.

    Raises:
        RefusedError: the file is there, and somebody else's.
        RequestError: the name is invalid.
        SurroundingsError: the file or the store cannot be written.
    """
    whole = _named(name, found)
    path = folder.absolute() / (whole + suffix)
    _refuse_anothers(path)
    write_text(path, write(activation_of(found), whole))
    project.store.keep(found.prefix.name, path)
    return ModuleFile(name=whole, path=path, prefix=found.prefix)


def _refuse_anothers(path: Path) -> None:
    """Refuse to replace what envlock did not write: others have modules in the same folders."""
    if not is_file(path) or any(WRITTEN_BY.encode() in line for line in read_bytes(path).splitlines()[:2]):
        return
    raise RefusedError(
        "module-of-another",
        "there is a module file of that name which envlock did not write",
        where=str(path),
        why="it would be replaced",
        hint="choose another --name or --to; or remove the file first, if nobody needs it",
    )


def _named(template: str, found: Current) -> str:
    lock = found.made_from.lock
    fields = pinned_versions(lock) | {
        "group": lock.group,
        "target": lock.target,
        "python": ".".join(lock.python.split(".")[:2]),
        "lock": found.made_from.sha256[:_LOCK_DIGITS],
    }

    def value(match: re.Match[str]) -> str:
        if match[1] in fields:
            return fields[match[1]]
        raise RequestError(
            "unknown-field",
            f"the lock has no {{{match[1]}}}",
            where=template,
            hint="fields are {group}, {target}, {python}, {lock}, or a component of the lock such as {torch}",
        )

    name = _FIELD.sub(value, template)
    if not _NAME.fullmatch(name):
        raise RequestError(
            "module-name",
            f"{name!r} is not a name for a module",
            where=template,
            hint="letters, digits and . _ + - between slashes, for example nlpl-pytorch/{torch}/{python}",
        )
    return name
