"""Wheels over the network, of which only what tells of them is fetched and looked at."""

from __future__ import annotations

import hashlib
import io
import struct
import zipfile
from collections.abc import Callable
from unittest.mock import patch

import pytest

from envlock.edges.index.http import Part
from envlock.edges.index.range_file import RangeFile
from envlock.edges.index.wheel_directory import read_directory
from envlock.edges.index.wheel_metadata import read_wheel_metadata
from envlock.model.errors import SurroundingsError

METADATA = b"Metadata-Version: 2.1\nName: foo\nVersion: 1.0\n"
INFO = "foo-1.0.dist-info"
NAME = "foo-1.0-py3-none-any.whl"


def noise(number: int, size: int) -> bytes:
    """Bytes that do not compress away, the same at every run."""
    digests = (hashlib.sha256(f"{number} {turn}".encode()).digest() for turn in range(size // 32 + 1))
    return b"".join(digests)[:size]


def archive(
    *,
    modules: int = 3,
    size: int = 100,
    record: int = 100,
    info_first: bool = False,
    comment: bytes = b"",
) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as made:
        info = {f"{INFO}/METADATA": METADATA, f"{INFO}/RECORD": noise(0, record)}
        others = {f"foo/_vendor/bar-{n}.dist-info/METADATA": b"Name: bar" for n in range(3)}
        others |= {f"foo/module_{n:05}.py": noise(n, size) for n in range(modules)}
        others |= {f"foo/{INFO}/METADATA": b"Name: foo\nVersion: 6.6.6\n"}
        for name, content in ({**info, **others} if info_first else {**others, **info}).items():
            made.writestr(name, content)
        made.comment = comment
    return target.getvalue()


def of_more_members_than_the_plain_form_counts() -> bytes:
    """As those of 65,536 members and more end, which take seconds to make."""
    with patch.object(zipfile, "ZIP_FILECOUNT_LIMIT", 3):
        return archive()


class Remote:
    def __init__(self, content: bytes) -> None:
        self.content = content
        self.asked: list[str] = []

    def __call__(self, span: str) -> Part:
        self.asked.append(span)
        first, _, last = span.partition("-")
        start = int(first) if first else max(0, len(self.content) - int(last))
        content = self.content[start : int(last) + 1] if first else self.content[start:]
        return Part(start=start, total=len(self.content), content=content)


def opened(content: bytes) -> tuple[RangeFile, Remote]:
    remote = Remote(content)
    file = RangeFile(remote)
    read_directory(file)
    return file, remote


def test_the_directory_of_a_large_wheel_comes_with_what_lies_before_it() -> None:
    content = archive(modules=3000, record=90_000)
    file, remote = opened(content)
    assert read_wheel_metadata(file, NAME, "foo") == METADATA
    with zipfile.ZipFile(file) as found:
        assert found.namelist() == [f"{INFO}/METADATA", f"{INFO}/RECORD"]
        assert found.read(f"{INFO}/RECORD") == noise(0, 90_000)
    assert len(remote.asked) == 2


def test_metadata_far_from_the_end_takes_one_request_of_its_own() -> None:
    content = archive(modules=3000, info_first=True)
    file, remote = opened(content)
    assert read_wheel_metadata(file, NAME, "foo") == METADATA
    assert len(remote.asked) == 3
    assert remote.asked[2].startswith("0-")


def test_nothing_is_fetched_twice() -> None:
    content = archive(modules=3000, record=90_000)
    _, remote = opened(content)
    (_, tail), (first, last) = (span.split("-") for span in remote.asked)
    assert int(last) == len(content) - int(tail) - 1
    assert int(first) < int(last)


@pytest.mark.parametrize(
    "change",
    [
        lambda content: b"#!/bin/sh\n" + content,
        lambda _: archive(comment=b"signed"),
        lambda _: of_more_members_than_the_plain_form_counts(),
    ],
)
def test_other_forms_of_zip_files_are_read_as_well(change: Callable[[bytes], bytes]) -> None:
    file, _ = opened(change(archive()))
    assert read_wheel_metadata(file, NAME, "foo") == METADATA


@pytest.mark.parametrize("place", [b"PK\1\2", b"PK\5\6"])
def test_a_broken_directory_is_told(place: bytes) -> None:
    content = archive()
    where = content.rindex(place)
    file, _ = opened(content[:where] + b"XXXX" + content[where + 4 :])
    with pytest.raises(SurroundingsError, match="cannot be read"):
        read_wheel_metadata(file, NAME, "foo")


def test_a_member_that_was_altered_is_told() -> None:
    content = archive()
    where = content.rindex(f"{INFO}/METADATA".encode(), 0, content.index(b"PK\1\2")) + len(f"{INFO}/METADATA")
    file, _ = opened(content[:where] + bytes(8) + content[where + 8 :])
    with pytest.raises(SurroundingsError, match="cannot be read"):
        read_wheel_metadata(file, NAME, "foo")


def test_a_file_of_a_few_bytes_is_no_wheel() -> None:
    file, _ = opened(b"PK")
    with pytest.raises(SurroundingsError, match="cannot be read"):
        read_wheel_metadata(file, NAME, "foo")


@pytest.mark.parametrize("directory", [b"x.dist-info/METADATA", b"PK\1\2.dist-info/METADATA"])
def test_a_directory_that_ends_within_an_entry_is_told(directory: bytes) -> None:
    count, size = directory.count(b"PK\1\2"), len(directory)
    file, _ = opened(directory + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, size, 0, 0))
    with pytest.raises(SurroundingsError, match="cannot be read"):
        read_wheel_metadata(file, NAME, "foo")
