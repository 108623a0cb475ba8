"""What a source tree says of its build backend (PEP 517), and the calling of it in a prepared environment."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pyproject_hooks import BuildBackendHookCaller

_LEGACY = "setuptools.build_meta:__legacy__"
"""The backend of a source tree that names none (PEP 517)."""

Run = Callable[[Sequence[str], Mapping[str, str], Path], None]
"""Runs a program with further variables in a folder."""


def backend_of(source: Path, prefix: Path, run: Run) -> BuildBackendHookCaller:
    """The backend of a source tree, which runs with the interpreter of an environment.

    Raises:
        ValueError: pyproject.toml cannot be read, or the backend's own folder is outside of the tree.
    """
    pyproject = source / "pyproject.toml"
    stated = tomllib.loads(pyproject.read_text("utf-8")) if pyproject.is_file() else {}
    system = stated.get("build-system", {})

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
