"""Unpack and install exact wheels with uv, which keeps what it unpacks in its cache."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from pathlib import Path
from threading import Lock

import uv
from packaging.utils import parse_wheel_filename

from envlock.edges.cache import default_root, trusted_owners
from envlock.edges.environments.records import installed_folders
from envlock.edges.files import FULL, UNWRITTEN, vanished, write_error
from envlock.edges.subprocesses import run, run_logged
from envlock.model.errors import SurroundingsError

UV_OPTIONS = ("--no-config", "--offline", "--no-python-downloads", "--no-progress", "--color", "never")
"""Leave uv nothing to decide: no configuration, no network, no interpreter of its own."""

_TIMEOUT_S = 3600.0
_ANSWER_S = 60.0
_FOREIGN = ("PYTHON", "PIP_", "UV_", "VIRTUAL_ENV", "CONDA_")
_KEPT = frozenset({"UV_CACHE_DIR", "UV_LINK_MODE"})
_CERTIFICATES = frozenset({"SSL_CERT_DIR", "SSL_CERT_FILE"})
"""Not passed on: reading them takes uv a good part of an install's time, and it makes no requests."""
_LOOKING_FOR_UV = Lock()
_REFUSALS = map(os.strerror, (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP))
_LACKS_LOCKS = re.compile(f"lock.*({'|'.join(_REFUSALS)})")
_WITHOUT_LOCKS = "uv's cache is on a file system without locks: point UV_CACHE_DIR to a folder on another"
"""What to do for a home on NFS without a lock manager, or on Lustre without its mount option ``flock``."""


def install_wheels(
    prefix: Path,
    wheels: Sequence[Path],
    *,
    log: Path,
    on_line: Callable[[str], None] | None = None,
    anew: bool = False,
) -> None:
    """Install wheels, without their dependencies, into an environment.

    They are offered to uv as folders of links: installed by name and version, they leave no record of where
    their files happened to be.

    Args:
        prefix: the environment.
        wheels: the wheels to install.
        log: the file that keeps all output.
        on_line: called with each line of output.
        anew: unpack them again, instead of using uv's cache, and install them over whatever the environment
            has: its RECORDs cannot be trusted to say what an uninstaller should remove.

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
    """Whether uv failed because of a file in its own cache."""
    answer = run([uv_program(), "cache", "dir"], env=clean_variables(os.environ), timeout_s=_ANSWER_S)
    folder = answer.stdout.strip()
    return bool(folder) and folder in error.why


def _offer(wheel: Path, *, anew: bool) -> Path:
    """Return a folder with a link to one wheel; it keeps its name until the wheel is offered anew.

    uv's cache is keyed by the folder: only with a stable name do all environments share the files of one
    unpacked wheel. uv never looks at a folder's wheels again, and ``uv cache clean`` waits until nobody uses
    the cache, hence another folder.

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
    """Return the last folder with a name and a number that is ours, or else the next one.

    Another user's folder in a shared cache is skipped, because uv would install what lies there.
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
    """Map canonical name to version of what wheels install, from their file names."""
    parsed = (parse_wheel_filename(wheel.name) for wheel in wheels)
    return {str(name): str(version) for name, version, _, _ in parsed}


def uv_program() -> str:
    """Return the path of uv, one thread at a time.

    It is found by sysconfig, which before Python 3.12 exposes its variables to other threads while still
    reading them (https://github.com/python/cpython/issues/92452), and builds start in parallel.
    """
    with _LOOKING_FOR_UV:
        return uv.find_uv_bin()


def clean_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Return variables for tools, without those that steer Python, pip, uv or another environment manager."""
    return {name: value for name, value in environ.items() if name in _KEPT or not name.startswith(_FOREIGN)}


def run_uv(
    prefix: Path, arguments: Sequence[str], *, log: Path, on_line: Callable[[str], None] | None
) -> None:
    """Run uv offline for an environment; all its output goes to a log.

    Raises:
        SurroundingsError: ``environment-failed``, or ``disk-full`` if uv's output or its log says so.
    """
    command = [uv_program(), *arguments, *UV_OPTIONS]
    variables = {
        name: value for name, value in clean_variables(os.environ).items() if name not in _CERTIFICATES
    }
    try:
        run_logged(command, env=variables, log=log, on_line=on_line, timeout_s=_TIMEOUT_S)
    except SurroundingsError as error:
        if error.code in UNWRITTEN:
            raise
        if any(os.strerror(number) in error.why for number in FULL):  # a quota's end, too
            raise write_error(prefix, OSError(errno.ENOSPC, "")) from error
        raise SurroundingsError(
            "environment-failed",
            "the environment could not be made",
            where=error.where,
            why=error.why or error.message,
            hint=_WITHOUT_LOCKS if _LACKS_LOCKS.search(error.why) else error.hint,
        ) from error
