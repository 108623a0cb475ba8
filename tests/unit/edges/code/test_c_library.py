"""Which C library a compiled module needs beyond what its wheel promises."""

import struct
import zipfile
from pathlib import Path

import pytest

from envlock.edges.code.archived import modules_of
from envlock.edges.code.compiled import promised_glibc, reads_of_c_library

WEAK = 2


def shared_object(*needed: tuple[str, int]) -> bytes:
    """A shared object that needs these versions of symbols from one library, each with its flags."""
    names = [name.encode() + b"\0" for name, _ in needed]
    places = [1 + sum(map(len, names[:number])) for number in range(len(names))]
    versions = struct.pack("<HHIII", 1, len(needed), 0, 16, 0) + b"".join(
        struct.pack("<IHHII", 0, flags, 0, place, 16)
        for (_, flags), place in zip(needed, places, strict=True)
    )
    strings = b"\0" + b"".join(names)
    headers = 64 + len(versions) + len(strings)
    return b"".join(
        [
            b"\x7fELF\x02\x01\x01".ljust(16, b"\0"),
            struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, headers, 0, 64, 0, 0, 64, 3, 2),
            versions + strings,
            bytes(64),
            section(0x6FFFFFFE, 64, len(versions), strings=2, entries=min(1, len(needed))),
            section(3, 64 + len(versions), len(strings)),
        ]
    )


def section(kind: int, offset: int, size: int, *, strings: int = 0, entries: int = 0) -> bytes:
    return struct.pack("<IIQQQQIIQQ", 0, kind, 0, 0, offset, size, strings, entries, 1, 0)


@pytest.mark.parametrize(
    ("filename", "promised"),
    [
        ("thing-1.0-cp39-cp39-manylinux1_x86_64.whl", (2, 5)),
        ("thing-1.0-cp39-cp39-manylinux_2_17_x86_64.manylinux2014_x86_64.whl", (2, 17)),
        ("thing-1.0-cp39-cp39-manylinux_2_28_x86_64.whl", (2, 28)),
        ("thing-1.0-py3-none-any.whl", (0, 0)),
        ("thing-1.0-cp39-cp39-linux_x86_64.whl", (0, 0)),
        ("thing-1.0.tar.gz", (0, 0)),
    ],
)
def test_tags_promise_that_a_c_library_will_do(filename: str, promised: tuple[int, int]) -> None:
    assert promised_glibc(filename) == promised


@pytest.mark.parametrize(
    ("content", "reads"),
    [
        (shared_object(("GLIBC_2.2.5", 0), ("GLIBC_2.33", 0), ("GLIBCXX_3.4.29", 0)), ("glibc.GLIBC_2_33",)),
        (shared_object(("GLIBC_2.17", 0), ("GLIBC_2.33", WEAK)), ()),  # it does without what is weak
        (shared_object(("GLIBC_2.4", 0), ("GLIBC_PRIVATE", 0)), ()),
        (shared_object(), ()),
        (shared_object(("GLIBC_2.33", 0))[:200], ()),
        (b"no shared object", ()),
    ],
)
def test_the_loader_asks_for_versions_of_symbols(content: bytes, reads: tuple[str, ...]) -> None:
    assert reads_of_c_library(content, (2, 17)) == reads


def test_a_damaged_count_of_libraries_is_not_counted_to_its_end() -> None:
    content = bytearray(shared_object(("GLIBC_2.33", 0)))
    for place, count in ((64 + 12, 0), (len(content) - 2 * 64 + 44, 0xFFFFFFFF)):  # the next one is itself
        struct.pack_into("<I", content, place, count)
    assert reads_of_c_library(bytes(content), (2, 17)) == ("glibc.GLIBC_2_33",)


def test_modules_of_a_wheel_are_held_against_its_tags(tmp_path: Path) -> None:
    found = {}
    for platform in ("manylinux1", "manylinux_2_34"):
        wheel = tmp_path / f"thing-1.0-cp39-cp39-{platform}_x86_64.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr("thing.cpython-39-x86_64-linux-gnu.so", shared_object(("GLIBC_2.33", 0)))
        found[platform] = modules_of(wheel)["thing"].reads
    assert found == {"manylinux1": ("glibc.GLIBC_2_33",), "manylinux_2_34": ()}
