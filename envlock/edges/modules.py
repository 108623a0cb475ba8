"""Environment modules (Lmod or Tcl): their program, and the environment with some of them loaded."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from envlock.edges.subprocesses import run
from envlock.edges.visible import is_file
from envlock.model.errors import SurroundingsError

_PATIENCE_S = 60.0
_PLACES = (
    ("LMOD_CMD", ""),
    ("MODULES_CMD", ""),
    ("LMOD_PKG", "libexec/lmod"),
    ("MODULESHOME", "libexec/lmod"),
    ("MODULESHOME", "libexec/modulecmd.tcl"),
    ("MODULESHOME", "bin/modulecmd"),
)
"""Variables that Lmod and Environment Modules set, each with the path of the program below its value."""

_LOAD = 'code=$("$0" bash load "$@") || exit 1; eval "$code" >&2 && exec env -0'
"""Does what the shell function ``module`` does, then prints the environment, apart from modules' output."""


def module_command(environ: Mapping[str, str]) -> Path | None:
    """Return the program behind the shell function ``module``; ``None`` if there are no modules."""
    for variable, below in _PLACES:
        path = Path(environ[variable], below) if environ.get(variable) else None
        if path is not None and is_file(path):
            return path
    return None


def with_modules(environ: Mapping[str, str], modules: tuple[str, ...]) -> dict[str, str]:
    """Return an environment with modules loaded; those that already are loaded are not loaded again.

    Raises:
        SurroundingsError: ``no-modules`` if nothing can load any, ``module-not-loaded`` if one fails.
    """
    loaded = environ.get("LOADEDMODULES", "").split(":")
    wanted = tuple(module for module in modules if module not in loaded)
    if not wanted:
        return dict(environ)
    names = " ".join(wanted)
    command = module_command(environ)
    if command is None:
        raise SurroundingsError(
            "no-modules",
            f"the lock needs modules, and there is no module command here: {names}",
            where="LMOD_CMD, MODULES_CMD, MODULESHOME",
            hint=f"start from a login shell of the cluster, or load them first: module load {names}",
        )
    shell = ["bash", "--noprofile", "--norc", "-c", _LOAD, str(command), *wanted]
    finished = run(shell, env=environ, timeout_s=_PATIENCE_S)
    parts = os.fsdecode(finished.written).split("\0")  # as they are: a value may be no text at all
    variables = dict(part.split("=", 1) for part in parts if "=" in part)
    now = variables.get("LOADEDMODULES", "").split(":")
    missing = [module for module in wanted if not any(_is(module, there) for there in now)]
    if finished.status != 0 or missing:
        raise SurroundingsError(
            "module-not-loaded",
            f"modules could not be loaded: {' '.join(missing or wanted)}",
            where=f"MODULEPATH={environ.get('MODULEPATH', '')}",
            why=" ".join(finished.stderr.split())[:400],
            hint="module avail lists what there is; solve again where the site's modules have changed",
        )
    return variables


def load_for_all(modules: tuple[str, ...]) -> None:
    """Load modules for all that this process starts from now on.

    Raises:
        SurroundingsError: as ``with_modules``.
    """
    if modules:
        loaded = with_modules(os.environ, modules)
        os.environ.update(loaded)
        for name in os.environ.keys() - loaded.keys():  # what one module has may be unset by another
            del os.environ[name]


def _is(wanted: str, loaded: str) -> bool:
    """Whether a loaded module is the wanted one, which may have been named without a version."""
    return loaded == wanted or loaded.startswith(f"{wanted}/")
