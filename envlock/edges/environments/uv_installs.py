"""Exact wheels unpacked and installed by uv, which keeps in its cache what it unpacked."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from pathlib import Path
from threading import Lock

import uv
from packaging.utils import parse_wheel_filename

from envlock.edges.cache import default_root, trusted_owners
from envlock.edges.environments.records import installed_folders
from envlock.edges.files import vanished, write_error
from envlock.edges.subprocesses import run, run_logged
from envlock.model.errors import SurroundingsError

UV_OPTIONS = ("--no-config", "--offline", "--no-python-downloads", "--no-progress", "--color", "never")
"""uv decides nothing by itself: no configuration, no network, no interpreter of its own."""

_TIMEOUT_S = 3600.0
_ANSWER_S = 60.0
_FOREIGN = ("PYTHON", "PIP_", "UV_", "VIRTUAL_ENV", "CONDA_")
_KEPT = frozenset({"UV_CACHE_DIR", "UV_LINK_MODE"})
_CERTIFICATES = frozenset({"SSL_CERT_DIR", "SSL_CERT_FILE"})
"""Reading them takes uv some of the time that installing takes; it asks nobody."""
_LOOKING_FOR_UV = Lock()


def install_wheels(
    prefix: Path,
    wheels: Sequence[Path],
    *,
    log: Path,
    on_line: Callable[[str], None] | None = None,
    anew: bool = False,
) -> None:
    """Install wheels, without their dependencies, into an environment.

    They are offered to uv as folders of links: installed by name and version they leave no record of the
    place where their files happened to be.

    Args:
        prefix: the environment.
        wheels: what is installed.
        log: the file that keeps all output.
        on_line: called with each line of output.
        anew: unpack them again, in place of what uv's cache has of them, and install them over whatever the
            environment has: its RECORDs cannot be trusted to say what an uninstaller should remove.

    Raises:
        SurroundingsError: ``environment-failed``, ``file-vanished``, ``disk-full`` or ``not-writable``.
    """
    expected = expected_of(wheels)
    command = ["pip", "install", "--no-deps", "--no-index", "--python", str(prefix / "bin/python")]
    for wheel in wheels:
        command += ["--find-links", str(_offer(wheel, anew=anew))]
    if anew:
        for found in installed_folders(prefix):
            if found.name in expected:
                shutil.rmtree(found.folder)
    names = [f"{name}=={version}" for name, version in expected.items()]
    try:
        run_uv(prefix, [*command, *names], log=log, on_line=on_line)
    except SurroundingsError as error:
        for wheel in wheels:
            if not wheel.exists():
                raise vanished(wheel) from error
        raise


def blames_its_cache(error: SurroundingsError) -> bool:
    """Whether uv failed for a file of its own cache."""
    answer = run([uv_program(), "cache", "dir"], env=clean_variables(os.environ), timeout_s=_ANSWER_S)
    return answer.stdout.strip() in error.why


def _offer(wheel: Path, *, anew: bool) -> Path:
    """A folder with a link to one wheel, of the same name each time until it is offered anew.

    uv's cache goes by the folder: only so do all environments share the files of one unpacked wheel. It does
    not look at wheels of a folder again, and ``uv cache clean`` waits until nobody uses the cache.

    Raises:
        SurroundingsError: ``file-vanished``, ``disk-full`` or ``not-writable``.
    """
    wheel = wheel.absolute()
    try:
        status = wheel.stat()
    except FileNotFoundError as error:
        raise vanished(wheel) from error
    key = hashlib.sha256(f"{wheel}\n{status.st_size}\n{status.st_mtime_ns}".encode()).hexdigest()
    folder = _folder_of_offer(key[:32], anew=anew)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            (folder / wheel.name).symlink_to(wheel)
    except OSError as error:
        raise write_error(folder, error) from error
    return folder


def _folder_of_offer(name: str, *, anew: bool) -> Path:
    """The last folder of a name and a number that is ours, else the next one.

    Another user's in a cache that several can write to is passed by: uv would install what lies there.
    """
    root = default_root()
    owners, latest = trusted_owners(root), None
    places = (root / "offered" / (f"{name}-{number}" if number else name) for number in count())
    place = next(places)
    while place.is_dir():
        latest = place if place.stat().st_uid in owners else latest
        place = next(places)
    return place if anew or latest is None else latest


def expected_of(wheels: Iterable[Path]) -> dict[str, str]:
    """What wheels install, canonical name -> version, from their file names."""
    parsed = (parse_wheel_filename(wheel.name) for wheel in wheels)
    return {str(name): str(version) for name, version, _, _ in parsed}


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


def run_uv(
    prefix: Path, arguments: Sequence[str], *, log: Path, on_line: Callable[[str], None] | None
) -> None:
    """Run uv, which asks nobody, for an environment; all it prints goes to a log.

    Raises:
        SurroundingsError: ``environment-failed``, or ``disk-full`` or ``not-writable`` where it says so.
    """
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
