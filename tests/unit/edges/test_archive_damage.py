"""Archives of others that are damaged or crafted: each reader says so in its own words."""

from __future__ import annotations

import errno
import io
import re
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from envlock.edges.api.sources import unpack_sources
from envlock.edges.archive_damage import DamagedError, damage_raised_as
from envlock.edges.building.source_trees import unpack_sdist
from envlock.edges.code.archived import modules_of
from envlock.edges.environments.installed_files import examine
from envlock.edges.environments.wheel_contents import compare_with_wheels
from envlock.edges.index.http import Part
from envlock.edges.index.range_file import RangeFile
from envlock.edges.index.sdist_archive import read_metadata_files
from envlock.edges.index.wheel_directory import read_directory
from envlock.edges.index.wheel_metadata import read_wheel_metadata
from envlock.model.errors import SurroundingsError
from envlock.model.locked.integrity import Damage, Flaw, Inventory

METADATA = "Metadata-Version: 2.1\nName: foo\nVersion: 1.0\n\n" + "words of a book\n" * 99
MEMBERS = {
    "foo.py": "a = 1\n" * 99,
    "foo-1.0.dist-info/METADATA": METADATA,
    "foo-1.0.dist-info/RECORD": "foo.py,,\n",
    "foo-1.0/setup.py": "setup()\n" * 99,
}


def zipped(compression: int) -> bytearray:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", compression) as archive:
        for name, text in MEMBERS.items():
            archive.writestr(name, text)
    return bytearray(packed.getvalue())


def headers(packed: bytearray) -> list[int]:
    """Where the flags of each member stand, before it and in the directory; its method follows them."""
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        return [
            *(one.header_offset + 6 for one in archive.infolist()),
            *(match.start() + 8 for match in re.finditer(b"PK\1\2", packed)),
        ]


def changed(compression: int, what: str) -> bytes:
    packed = zipped(compression)
    if what == "content":
        for mark in (b"METADATA", b"RECORD", b"foo.py", b"setup.py"):
            begin = packed.index(mark) + len(mark)
            packed[begin : begin + 12] = b"\xff\xfe\xfd" * 4
    elif what == "cut off":
        del packed[len(packed) // 3 :]
    elif what == "before the beginning":
        end = packed.rindex(b"PK\5\6")
        (start,) = struct.unpack_from("<L", packed, end + 16)
        struct.pack_into("<L", packed, end + 16, start + (1 << 24))
    for flags in headers(packed) if what in {"encrypted", "method"} else ():
        if what == "encrypted":
            packed[flags] |= 1
        else:
            packed[flags + 2] = 99
    return bytes(packed)


def remote(path: Path) -> None:
    content = path.read_bytes()

    def fetch(span: str) -> Part:
        begin, _, end = span.partition("-")
        start = int(begin) if begin else max(0, len(content) - int(end))
        stop = int(end) + 1 if begin else len(content)
        return Part(start=start, total=len(content), content=content[start:stop])

    file = RangeFile(fetch, 256)
    read_directory(file)
    read_wheel_metadata(file, path.name, "foo")  # type: ignore[arg-type]


def installed(path: Path) -> None:
    (path.parent / "lib/python3.11/site-packages").mkdir(parents=True)
    compare_with_wheels(path.parent, [path])


def metadata(path: Path) -> None:
    with path.open("rb") as opened:
        read_wheel_metadata(opened, path.name, "foo")


READERS: dict[str, tuple[Callable[[Path], object], type[Exception], str]] = {
    "metadata": (metadata, SurroundingsError, ".whl"),
    "remote metadata": (remote, SurroundingsError, ".whl"),
    "installed files": (installed, SurroundingsError, ".whl"),
    "modules": (modules_of, DamagedError, ".whl"),
    "interfaces": (lambda path: unpack_sources(path, path.parent / "api"), DamagedError, ".whl"),
    "sdist": (read_metadata_files, SurroundingsError, ".zip"),
    "sources": (lambda path: unpack_sdist(path, path.parent / "into"), ValueError, ".zip"),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    "compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
@pytest.mark.parametrize("what", ["content", "cut off", "before the beginning", "encrypted", "method"])
def test_what_is_wrong_with_an_archive_is_told(
    what: str, compression: int, reader: str, tmp_path: Path
) -> None:
    read, told, ending = READERS[reader]
    path = tmp_path / f"foo-1.0-py3-none-any{ending}"
    path.write_bytes(changed(compression, what))
    with pytest.raises(told):
        read(path)


def test_a_disk_that_fails_is_no_damage_of_an_archive() -> None:
    with pytest.raises(OSError, match="Input/output error"), damage_raised_as():
        raise OSError(errno.EIO, "Input/output error")


def test_a_record_that_a_failing_disk_filled_with_zeros_is_a_changed_file(tmp_path: Path) -> None:
    site = tmp_path / "lib/python3.11/site-packages"
    (site / "foo-1.0.dist-info").mkdir(parents=True)
    (site / "foo-1.0.dist-info/RECORD").write_bytes(b"\0" * 200_000)
    inventory = Inventory(records={"foo": "ab" * 32}, unowned=frozenset({"lib"}), misrecorded={})
    flaws = examine(tmp_path, {"foo": "1.0"}, inventory)
    record = "lib/python3.11/site-packages/foo-1.0.dist-info/RECORD"
    assert Flaw(distribution="foo", path=record, damage=Damage.CHANGED) in flaws
