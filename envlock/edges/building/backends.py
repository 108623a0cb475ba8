"""What a source tree says of its build backend (PEP 517), and the calling of it in a prepared environment.

A tree that says nothing is from the time when ``setup.py`` was a program.
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
"""Runs ``setup.py`` as pip ran those without a ``pyproject.toml`` up to its release 25.2, but for one thing:
what the script wants for its build is not fetched, as in PEP 517, for it was locked and is there.
"""

UNUSABLE = (BackendUnavailable, HookMissing, OSError, ValueError, TypeError)
"""What comes of a backend that is not there, or answers in another way than PEP 517 says."""

Run = Callable[[Sequence[str], Mapping[str, str], Path], None]
"""Runs a program with further variables in a folder."""


def backend_of(source: Path, prefix: Path, run: Run) -> BuildBackendHookCaller:
    """The backend of a source tree, which runs with the interpreter of an environment.

    What it warns of is for who packages the tree: pyproject-hooks would say it in our name, amid our answers,
    and where warnings are errors (``PYTHONWARNINGS=error``) end us with it.

    Raises:
        ValueError: pyproject.toml cannot be read, or the backend's own folder is outside of the tree.
        TypeError: what it says of the backend's folder is no list.
    """
    warnings.simplefilter("ignore", BuildBackendWarning)
    pyproject = source / "pyproject.toml"
    stated = tomllib.loads(pyproject.read_text("utf-8")) if pyproject.is_file() else {}
    system = stated.get("build-system", {})
    if not isinstance(system, dict):
        raise ValueError("build-system is no table")  # noqa: TRY004 - as what else is wrong in the file

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
    """What is wrong with a backend, in one line."""
    if isinstance(error, BackendUnavailable):
        return (error.traceback.strip().splitlines() or [str(error)])[-1]
    return str(error) or type(error).__name__


def program_command(source: Path, prefix: Path, results: Path) -> list[str] | None:
    """The command that builds a source tree by its ``setup.py`` as a program, in the tree's folder.

    Backends execute the script inside of a function, where ``__builtins__`` is a dictionary and no module, so
    that many scripts fail that set ``__builtins__.__NUMPY_SETUP__``, and others that want to be the program
    (https://github.com/pydata/bottleneck/pull/206).

    Args:
        source: the tree.
        prefix: the environment of the build.
        results: a folder for the wheel.

    Returns:
        Nothing for a tree with a ``pyproject.toml``, whose author meant a backend.
    """
    if (source / "pyproject.toml").exists() or not (source / "setup.py").is_file():
        return None
    return [str(prefix / "bin/python"), "-c", _AS_A_PROGRAM, str(results)]
