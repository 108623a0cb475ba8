"""Virtual environments from exact wheels, by uv, which serves interpreters from 3.6 on."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import distributions
from pathlib import Path

import uv
from packaging.utils import canonicalize_name, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from envlock.edges.files import write_error
from envlock.edges.subprocesses import run_logged
from envlock.model.errors import SurroundingsError
from envlock.model.target import Interpreter

UV_OPTIONS = ("--no-config", "--offline", "--no-python-downloads", "--no-progress", "--color", "never")
"""uv decides nothing by itself: no configuration, no network, no interpreter of its own."""

_TIMEOUT_S = 3600.0
_FOREIGN = ("PYTHON", "PIP_", "UV_", "VIRTUAL_ENV", "CONDA_")
_KEPT = frozenset({"UV_CACHE_DIR", "UV_LINK_MODE"})


def create_environment(
    prefix: Path,
    *,
    interpreter: Interpreter,
    wheels: Sequence[Path],
    log: Path,
    on_line: Callable[[str], None] | None = None,
    compile_bytecode: bool = True,
) -> None:
    """Make a virtual environment that holds exactly these wheels, whose hashes were checked before.

    Neither the user's nor the system's packages are visible in it. Files are hard links into uv's cache where
    the file system allows. Bytecode is compiled now, so that ranks that start together need not write it.

    Raises:
        SurroundingsError: ``environment-failed``, ``environment-differs``, ``disk-full``, ``not-writable``.
    """
    _run_uv(
        prefix,
        ["venv", "--quiet", "--no-project", "--python", interpreter.path, str(prefix)],
        log=log,
        on_line=on_line,
    )
    # uv's compiler needs what py_compile has since Python 3.7.
    compile_bytecode = compile_bytecode and interpreter.release >= (3, 7)
    if wheels:
        _install_wheels(prefix, wheels, log=log, on_line=on_line, compile_bytecode=compile_bytecode)
    check_installed(prefix, expected_of(wheels))


def _install_wheels(
    prefix: Path,
    wheels: Sequence[Path],
    *,
    log: Path,
    on_line: Callable[[str], None] | None = None,
    compile_bytecode: bool = True,
) -> None:
    """Install wheels, without their dependencies, into an environment.

    They are offered to uv as a folder of links: installed by name and version they leave no record of the
    place where their files happened to be.

    Raises:
        SurroundingsError: ``environment-failed``, ``disk-full`` or ``not-writable``.
    """
    with tempfile.TemporaryDirectory(prefix="envlock-") as offered:
        for wheel in wheels:
            (Path(offered) / wheel.name).symlink_to(wheel.absolute())
        names = [f"{name}=={version}" for name, version in expected_of(wheels).items()]
        command = ["pip", "install", "--no-deps", "--no-index", "--find-links", offered]
        command += ["--python", str(prefix / "bin/python")]
        command += ["--compile-bytecode"] if compile_bytecode else []
        _run_uv(prefix, [*command, *names], log=log, on_line=on_line)


def installed(prefix: Path) -> dict[str, str]:
    """The distributions of an environment, canonical name -> version, from their metadata on disk."""
    folders = [str(path) for path in prefix.glob("lib/python3.*/site-packages")]
    return {
        canonicalize_name(distribution.name): distribution.version
        for distribution in distributions(path=folders)
    }


def expected_of(wheels: Iterable[Path]) -> dict[str, str]:
    """What wheels install, canonical name -> version, from their file names."""
    parsed = (parse_wheel_filename(wheel.name) for wheel in wheels)
    return {str(name): str(version) for name, version, _, _ in parsed}


def check_installed(prefix: Path, expected: Mapping[str, str]) -> None:
    """Compare what is installed with what should be.

    Raises:
        SurroundingsError: ``environment-differs``.
    """
    found = installed(prefix)
    differences = [
        f"{name} {found.get(name, 'is missing')} instead of {expected.get(name, 'nothing')}"
        for name in sorted({*found, *expected})
        if not _same(found.get(name), expected.get(name))
    ]
    if differences:
        raise SurroundingsError(
            "environment-differs",
            "the environment does not hold exactly what the lock says",
            where=str(prefix),
            why="; ".join(differences),
            hint="it was changed from outside: remove it, and solve again",
        )


def clean_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """An environment for tools, without what would steer Python, pip, uv or another environment manager."""
    return {name: value for name, value in environ.items() if name in _KEPT or not name.startswith(_FOREIGN)}


def _run_uv(
    prefix: Path, arguments: Sequence[str], *, log: Path, on_line: Callable[[str], None] | None
) -> None:
    command = [uv.find_uv_bin(), *arguments, *UV_OPTIONS]
    try:
        run_logged(command, env=clean_variables(os.environ), log=log, on_line=on_line, timeout_s=_TIMEOUT_S)
    except SurroundingsError as error:
        if "No space left on device" in error.why:
            raise write_error(prefix, OSError(errno.ENOSPC, "")) from error
        raise SurroundingsError(
            "environment-failed",
            "the environment could not be made",
            where=error.where,
            why=error.why or error.message,
            hint=error.hint,
        ) from error


def _same(found: str | None, expected: str | None) -> bool:
    if found is None or expected is None:
        return found is expected
    try:
        return Version(found) == Version(expected)
    except InvalidVersion:
        return found == expected
