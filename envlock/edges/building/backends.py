"""Find the build backend that a source tree names (PEP 517), and call it in a prepared environment.

A tree that names none is from the time when ``setup.py`` was a program.
"""

from __future__ import annotations

import tomllib
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pyproject_hooks import BackendUnavailable, BuildBackendHookCaller, BuildBackendWarning, HookMissing

_LEGACY = "setuptools.build_meta:__legacy__"
"""The backend of a source tree that names none (PEP 517)."""

_AS_A_PROGRAM = """\
import sys, tokenize
import setuptools
setuptools._install_setup_requires = lambda attributes: None
sys.argv = ["setup.py", "bdist_wheel", "--dist-dir", sys.argv[1]]
sys.path[0] = ""
__file__ = "setup.py"
with tokenize.open(__file__) as opened:
    script = opened.read()
exec(compile(script, __file__, "exec"))
"""
"""Runs ``setup.py`` as pip up to release 25.2 ran those without a ``pyproject.toml``, with one difference: as
in PEP 517, what the script wants for its build is not fetched, because it was locked and is installed.
"""

UNUSABLE = (BackendUnavailable, HookMissing, OSError, ValueError, TypeError, RecursionError)
"""Errors from a backend that is missing, or does not behave as PEP 517 says."""

Run = Callable[[Sequence[str], Mapping[str, str], Path], None]
"""Runs a program with additional variables in a folder."""


def backend_of(source: Path, prefix: Path, run: Run) -> BuildBackendHookCaller:
    """Return the backend of a source tree, to run with the interpreter of an environment.

    Its warnings are meant for the tree's packager: pyproject-hooks would issue them from our process, amid
    our output, and end us where warnings are errors (``PYTHONWARNINGS=error``).

    Raises:
        ValueError: pyproject.toml cannot be read, or the backend's own folder is outside the tree.
        TypeError: ``backend-path`` is no list.
    """
    warnings.simplefilter("ignore", BuildBackendWarning)
    pyproject = source / "pyproject.toml"
    stated = tomllib.loads(pyproject.read_text("utf-8")) if pyproject.is_file() else {}
    system = stated.get("build-system", {})
    if not isinstance(system, dict):
        raise ValueError("build-system is no table")  # noqa: TRY004 - like all else that is wrong in the file

    def runner(
        cmd: Sequence[str], cwd: str | None = None, extra_environ: Mapping[str, str] | None = None
    ) -> None:
        run(cmd, extra_environ or {}, Path(cwd) if cwd else source)

    return BuildBackendHookCaller(
        str(source),
        str(system.get("build-backend", _LEGACY)),
        backend_path=[str(path) for path in system.get("backend-path", ())] or None,
        runner=runner,
        python_executable=str(prefix / "bin/python"),
    )


def why_unusable(error: Exception) -> str:
    """Return what is wrong with a backend, in one line."""
    if isinstance(error, BackendUnavailable):
        return (error.traceback.strip().splitlines() or [str(error)])[-1]
    return str(error) or type(error).__name__


def program_command(source: Path, prefix: Path, results: Path) -> list[str] | None:
    """Return the command that builds a source tree in its folder, with its ``setup.py`` as a program.

    Backends execute the script inside a function, where ``__builtins__`` is a dictionary and not a module.
    That breaks the many scripts that set ``__builtins__.__NUMPY_SETUP__``, and others that rely on being the
    main program (https://github.com/pydata/bottleneck/pull/206).

    Args:
        source: the tree.
        prefix: the build environment.
        results: a folder for the wheel.

    Returns:
        ``None`` for a tree with a ``pyproject.toml``, whose author meant a backend, or without ``setup.py``.
    """
    if (source / "pyproject.toml").exists() or not (source / "setup.py").is_file():
        return None
    return [str(prefix / "bin/python"), "-c", _AS_A_PROGRAM, str(results)]
