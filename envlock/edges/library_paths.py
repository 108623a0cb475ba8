"""Search paths of the libraries in a built wheel, seen from where it will be installed.

A compiler wrapper that lies in the build environment (of an MPI from the index) writes that environment's
folder into what it links, and the folder is gone when the build is over. So such paths become relative to the
file that has them (``$ORIGIN``, ld.so(8)): what a build found beside itself, its environment has in the same
place. The format of the files: System V ABI, chapter 5, dynamic section.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import os
import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

_MAGIC = b"\x7fELF\x02\x01"  # of 64 bits, little-endian: the machines that we know
_LOAD, _DYNAMIC = 1, 2
_STRINGS = 5
_PATHS = {15, 29}  # DT_RPATH, DT_RUNPATH


def with_own_paths(wheel: Path, *, prefix: Path, packages: Path) -> None:
    """Make search paths into the build environment relative, in place; a wheel without any stays as it is.

    Args:
        wheel: the built wheel.
        prefix: the build environment.
        packages: the folder in it that distributions are installed into.
    """
    changed: dict[str, bytes] = {}
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            data = archive.read(name)
            if data.startswith(_MAGIC) and ".data/" not in name:
                moved = relocated(data, prefix=str(prefix), folder=str((packages / name).parent))
                if moved != data:
                    changed[name] = moved
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


def relocated(data: bytes, *, prefix: str, folder: str) -> bytes:
    """A library whose search paths below ``prefix`` are relative to its ``folder``; pure.

    A path that would become longer stays, for there is no room for it.
    """
    whole = bytearray(data)
    for start in _path_strings(data):
        end = data.index(b"\0", start)
        old = data[start:end].decode()
        new = ":".join(_relative(one, prefix, folder) for one in old.split(":")).encode()
        if len(new) <= end - start:
            whole[start:end] = new.ljust(end - start, b"\0")
    return bytes(whole)


def _relative(path: str, prefix: str, folder: str) -> str:
    if path != prefix and not path.startswith(prefix + "/"):
        return path
    return f"$ORIGIN/{os.path.relpath(path, folder)}"


def _path_strings(data: bytes) -> Iterator[int]:
    """Where in the file the search paths begin."""
    table, size, count = *struct.unpack_from("<Q", data, 32), *struct.unpack_from("<HH", data, 54)
    segments = [struct.unpack_from("<IIQQQQ", data, table + size * number) for number in range(count)]
    entries = [
        struct.unpack_from("<qQ", data, offset + step)
        for kind, _, offset, _, _, length in segments
        if kind == _DYNAMIC
        for step in range(0, length, 16)
    ]
    strings = next((value for tag, value in entries if tag == _STRINGS), None)
    if strings is None:
        return
    for kind, _, offset, address, _, length in segments:
        if kind == _LOAD and address <= strings < address + length:
            yield from (offset + strings - address + value for tag, value in entries if tag in _PATHS)


def _is_record(name: str) -> bool:
    path = PurePosixPath(name)
    return path.name == "RECORD" and path.parent.suffix == ".dist-info"


def _recorded(record: str, changed: dict[str, bytes]) -> bytes:
    """A RECORD with the hashes of what changed."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in csv.reader(io.StringIO(record)):
        data = changed.get(row[0]) if row else None
        if data is None:
            writer.writerow(row)
            continue
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        writer.writerow([row[0], f"sha256={digest}", str(len(data))])
    return text.getvalue().encode()
