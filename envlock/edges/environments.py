"""Virtual environments from exact wheels, by uv, which serves interpreters from 3.6 on."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from threading import Lock

import uv
from packaging.utils import parse_wheel_filename
from packaging.version import InvalidVersion, Version

from envlock.edges.bytecode import drop_bytecode, fill_bytecode
from envlock.edges.cache import default_root
from envlock.edges.files import write_error
from envlock.edges.records import InstalledRecord, installed_folders, installed_records
from envlock.edges.subprocesses import run_logged
from envlock.model.errors import SurroundingsError
from envlock.model.target import Interpreter

UV_OPTIONS = ("--no-config", "--offline", "--no-python-downloads", "--no-progress", "--color", "never")
"""uv decides nothing by itself: no configuration, no network, no interpreter of its own."""

_TIMEOUT_S = 3600.0
_FOREIGN = ("PYTHON", "PIP_", "UV_", "VIRTUAL_ENV", "CONDA_")
_KEPT = frozenset({"UV_CACHE_DIR", "UV_LINK_MODE"})
_CERTIFICATES = frozenset({"SSL_CERT_DIR", "SSL_CERT_FILE"})
"""Reading them takes uv some of the time that installing takes; it asks nobody."""
_LOOKING_FOR_UV = Lock()


def create_environment(
    prefix: Path,
    *,
    interpreter: Interpreter,
    wheels: Sequence[Path],
    log: Path,
    on_line: Callable[[str], None] | None = None,
    bytecode: Path | None = None,
) -> tuple[InstalledRecord, ...]:
    """Make a virtual environment that holds exactly these wheels, whose hashes were checked before.

    Neither the user's nor the system's packages are visible in it. Files are hard links into uv's cache where
    the file system allows. Bytecode comes from a pool or is compiled now, so that ranks that start together
    need not write it; without a pool there is none. The result is what the RECORDs say of what is installed.

    Raises:
        SurroundingsError: ``environment-failed``, ``environment-differs``, ``disk-full``, ``not-writable``.
    """
    _run_uv(
        prefix,
        ["venv", "--quiet", "--no-project", "--python", interpreter.path, str(prefix)],
        log=log,
        on_line=on_line,
    )
    if wheels:
        _install_wheels(prefix, wheels, log=log, on_line=on_line)
    check_installed(prefix, expected_of(wheels))
    records = installed_records(prefix)
    if bytecode is not None:
        fill_bytecode(prefix, records, interpreter=interpreter, pool=bytecode, on_line=on_line)
    return records


def _install_wheels(
    prefix: Path,
    wheels: Sequence[Path],
    *,
    log: Path,
    on_line: Callable[[str], None] | None = None,
    options: Sequence[str] = (),
) -> None:
    """Install wheels, without their dependencies, into an environment.

    They are offered to uv as folders of links: installed by name and version they leave no record of the
    place where their files happened to be.

    Raises:
        SurroundingsError: ``environment-failed``, ``disk-full`` or ``not-writable``.
    """
    names = [f"{name}=={version}" for name, version in expected_of(wheels).items()]
    command = ["pip", "install", "--no-deps", "--no-index", "--python", str(prefix / "bin/python")]
    for wheel in wheels:
        command += ["--find-links", str(_offer(wheel))]
    _run_uv(prefix, [*command, *options, *names], log=log, on_line=on_line)


def _offer(wheel: Path) -> Path:
    """A folder with a link to one wheel, of the same name each time.

    uv's cache goes by the folder: only so do all environments share the files of one unpacked wheel.

    Raises:
        SurroundingsError: ``disk-full`` or ``not-writable``.
    """
    wheel = wheel.absolute()
    status = wheel.stat()
    key = hashlib.sha256(f"{wheel}\n{status.st_size}\n{status.st_mtime_ns}".encode()).hexdigest()
    folder = default_root() / "offered" / key[:32]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            (folder / wheel.name).symlink_to(wheel)
    except OSError as error:
        raise write_error(folder, error) from error
    return folder


def mend_environment(
    prefix: Path,
    *,
    interpreter: Interpreter,
    wheels: Sequence[Path],
    foreign: Iterable[str],
    bytecode: Path,
    log: Path,
    on_line: Callable[[str], None] | None = None,
) -> None:
    """Install distributions anew into an environment, over whatever is left of them.

    Their files may be links into uv's cache, so that what changed them changed the cache as well: the cache
    is not used, and forgets them.

    Args:
        prefix: the environment.
        interpreter: its interpreter, linked to again.
        wheels: of what is installed anew.
        foreign: names of distributions that are removed.
        bytecode: the pool of bytecode; what it has of these distributions is compiled anew.
        log: the file that keeps all output.
        on_line: called with each line of output.

    Raises:
        SurroundingsError: ``environment-failed``, ``disk-full`` or ``not-writable``.
    """
    run = partial(_run_uv, prefix, log=log, on_line=on_line)
    run(["venv", "--quiet", "--no-project", "--allow-existing", "--python", interpreter.path, str(prefix)])
    names = expected_of(wheels)
    if foreign := tuple(foreign):
        run(["pip", "uninstall", "--python", str(prefix / "bin/python"), *foreign])
    if names:
        for name in names:
            _forget(prefix, name)
        run(["cache", "clean", *names])
        drop_bytecode(prefix, interpreter=interpreter, pool=bytecode, names=names)
        _install_wheels(prefix, wheels, log=log, on_line=on_line, options=["--no-cache"])
        records = installed_records(prefix)
        fill_bytecode(prefix, records, interpreter=interpreter, pool=bytecode, on_line=on_line)


def _forget(prefix: Path, name: str) -> None:
    """Take a distribution's metadata away, so that it is installed over what it left.

    Its RECORD cannot be trusted to say what an uninstaller should remove.
    """
    for found in installed_folders(prefix):
        if found.name == name:
            shutil.rmtree(found.folder)


def installed(prefix: Path) -> dict[str, str]:
    """The distributions of an environment, canonical name -> version, from their folders of metadata."""
    return {found.name: found.version for found in installed_folders(prefix)}


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
        if not same_version(found.get(name), expected.get(name))
    ]
    if differences:
        raise SurroundingsError(
            "environment-differs",
            "the environment does not hold exactly what the lock says",
            where=str(prefix),
            why="; ".join(differences),
            hint="it was changed from outside: remove it, and solve again",
        )


def uv_program() -> str:
    """The path of uv, for one thread after the other.

    It is found by sysconfig, which before Python 3.12 shows other threads its variables while it still reads
    them (https://github.com/python/cpython/issues/92452), and builds begin side by side.
    """
    with _LOOKING_FOR_UV:
        return uv.find_uv_bin()


def clean_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """An environment for tools, without what would steer Python, pip, uv or another environment manager."""
    return {name: value for name, value in environ.items() if name in _KEPT or not name.startswith(_FOREIGN)}


def _run_uv(
    prefix: Path, arguments: Sequence[str], *, log: Path, on_line: Callable[[str], None] | None
) -> None:
    command = [uv_program(), *arguments, *UV_OPTIONS]
    variables = {
        name: value for name, value in clean_variables(os.environ).items() if name not in _CERTIFICATES
    }
    try:
        run_logged(command, env=variables, log=log, on_line=on_line, timeout_s=_TIMEOUT_S)
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


def same_version(found: str | None, expected: str | None) -> bool:
    """Whether two spellings mean one version (``1.0`` and ``1.0.0``); nothing is only nothing."""
    if found is None or expected is None:
        return found is expected
    try:
        return Version(found) == Version(expected)
    except InvalidVersion:
        return found == expected
