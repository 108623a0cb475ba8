"""Make virtual environments from exact wheels with uv, which supports interpreters from 3.6 on."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from packaging.version import InvalidVersion, Version

from envlock.edges.environments.bytecode import drop_bytecode, fill_bytecode
from envlock.edges.environments.records import (
    PACKAGES,
    InstalledRecord,
    installed_folders,
    installed_records,
    present_files,
)
from envlock.edges.environments.uv_installs import blames_its_cache, expected_of, install_wheels, run_uv
from envlock.model.errors import SurroundingsError
from envlock.model.project.target import Interpreter


class NewEnvironment(NamedTuple):
    """A newly made environment: its RECORDs, and the files among its packages."""

    records: tuple[InstalledRecord, ...]
    files: frozenset[str]


def create_environment(
    prefix: Path,
    *,
    interpreter: Interpreter,
    wheels: Sequence[Path],
    log: Path,
    on_line: Callable[[str], None] | None = None,
    bytecode: Path | None = None,
) -> NewEnvironment:
    """Make a virtual environment that holds exactly these wheels, whose hashes were checked before.

    Neither the user's nor the system's packages are visible in it. Files are hard links into uv's cache if
    the file system allows. Bytecode comes from a pool or is compiled now, so that ranks that start together
    need not write it; without a pool there is none.

    uv trusts its cache, but scratch file systems delete files in it that nobody used for weeks: what is
    missing for that reason is unpacked anew, once. What is missing after that, uv does not install.

    Raises:
        SurroundingsError: ``environment-failed``, ``environment-differs``, ``disk-full``, ``not-writable``.
    """
    install = partial(install_wheels, prefix, log=log, on_line=on_line)
    run_uv(
        prefix,
        ["venv", "--quiet", "--no-project", "--python", interpreter.path, str(prefix)],
        log=log,
        on_line=on_line,
    )
    if wheels:
        try:
            install(wheels)
        except SurroundingsError as error:
            if not blames_its_cache(error):
                raise
            install(wheels, anew=True)
    check_installed(prefix, expected_of(wheels))
    made = NewEnvironment(installed_records(prefix), present_files(prefix))
    if damaged := _incomplete(prefix, made, wheels):
        install(damaged, anew=True)
        made = NewEnvironment(installed_records(prefix), present_files(prefix))
    if bytecode is not None:
        fill_bytecode(prefix, made.records, interpreter=interpreter, pool=bytecode, on_line=on_line)
    return made


def _incomplete(prefix: Path, made: NewEnvironment, wheels: Iterable[Path]) -> list[Path]:
    """Return the wheels that contain files which are missing from the environment."""
    lacking = {
        installed.name: missing
        for installed in made.records
        if (missing := [path for path in _recorded(installed) if not _is_there(path, made)])
    }
    sites = [f"{site}/" for site in prefix.glob(PACKAGES)]
    return [
        wheel
        for wheel in (wheels if lacking else ())
        for name in expected_of([wheel])
        if _has_any(wheel, [path.removeprefix(site) for path in lacking.get(name, ()) for site in sites])
    ]


def _recorded(installed: InstalledRecord) -> Iterator[str]:
    yield from (file.path for file in installed.files)
    if not installed.sha256:
        yield str(installed.path)


def _is_there(path: str, made: NewEnvironment) -> bool:
    """Whether a file exists; those outside the packages (programs, data) were not listed."""
    return path in made.files or os.path.lexists(path)


def _has_any(wheel: Path, paths: Sequence[str]) -> bool:
    """Whether a wheel contains one of these package paths; what only its RECORD names is not repaired."""
    if not paths:
        return False
    with zipfile.ZipFile(wheel) as archive:
        inside = archive.namelist()
    return any(member == path or member.endswith(f"lib/{path}") for path in paths for member in inside)


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
    """Reinstall distributions in an environment, over whatever is left of them.

    Their files may be links into uv's cache, so whatever changed them changed the cache as well: its copies
    are replaced.

    Args:
        prefix: the environment.
        interpreter: its interpreter, which is linked again.
        wheels: the wheels to reinstall.
        foreign: the names of distributions to remove.
        bytecode: the pool of bytecode; that of the reinstalled distributions is compiled anew.
        log: the file that keeps all output.
        on_line: called with each line of output.

    Raises:
        SurroundingsError: ``environment-failed``, ``disk-full`` or ``not-writable``.
    """
    run = partial(run_uv, prefix, log=log, on_line=on_line)
    run(["venv", "--quiet", "--no-project", "--allow-existing", "--python", interpreter.path, str(prefix)])
    names = expected_of(wheels)
    if foreign := tuple(foreign):
        run(["pip", "uninstall", "--python", str(prefix / "bin/python"), *foreign])
    if names:
        drop_bytecode(prefix, interpreter=interpreter, pool=bytecode, names=names)
        install_wheels(prefix, wheels, log=log, on_line=on_line, anew=True)
        records = installed_records(prefix)
        fill_bytecode(prefix, records, interpreter=interpreter, pool=bytecode, on_line=on_line)


def installed(prefix: Path) -> dict[str, str]:
    """Map canonical name to version of an environment's distributions, from their metadata folders."""
    return {found.name: found.version for found in installed_folders(prefix)}


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


def same_version(found: str | None, expected: str | None) -> bool:
    """Whether two spellings mean one version (``1.0`` and ``1.0.0``); ``None`` equals only ``None``."""
    if found is None or expected is None:
        return found is expected
    try:
        return Version(found) == Version(expected)
    except InvalidVersion:
        return found == expected


def is_build_of(found: str, locked: str) -> bool:
    """Whether a version is the locked one, apart from the local part that a build may have given it."""
    try:
        return Version(found).public == Version(locked).public
    except InvalidVersion:
        return found == locked
