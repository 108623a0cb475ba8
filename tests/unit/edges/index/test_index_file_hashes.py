"""Hashes of local files: computed once, and again after whatever was done to the file."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from envlock.edges.cache import Cache
from envlock.edges.index import file_hashes
from envlock.edges.index.file_hashes import FileHashes


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_file_that_nobody_touched_is_not_read_again(tmp_path: Path, monkeypatch) -> None:
    hashes = FileHashes(Cache(tmp_path / "cache"))
    file = tmp_path / "one.whl"
    file.write_text("one")
    assert hashes.sha256(file) == digest("one")
    monkeypatch.setattr(file_hashes, "file_sha256", lambda path: pytest.fail(f"{path} is read again"))
    assert FileHashes(Cache(tmp_path / "cache")).sha256(file) == digest("one")


def test_the_same_size_and_the_old_time_do_not_hide_a_change(tmp_path: Path) -> None:
    hashes = FileHashes(Cache(tmp_path / "cache"))
    file = tmp_path / "one.whl"
    file.write_text("one")
    before = file.stat()
    assert hashes.sha256(file) == digest("one")
    while file.stat().st_ctime_ns == before.st_ctime_ns:  # the clock of a file system has its grain
        file.write_text("two")
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert file.stat().st_mtime_ns == before.st_mtime_ns
    assert hashes.sha256(file) == digest("two")


def test_another_file_in_its_place_is_another_file(tmp_path: Path) -> None:
    hashes = FileHashes(Cache(tmp_path / "cache"))
    file, other = tmp_path / "one.whl", tmp_path / "other.whl"
    file.write_text("one")
    other.write_text("two")
    assert hashes.sha256(file) == digest("one")
    os.utime(other, ns=(file.stat().st_atime_ns, file.stat().st_mtime_ns))
    other.rename(file)
    assert hashes.sha256(file) == digest("two")
    assert hashes.sha256(tmp_path / "gone") == ""


def test_a_cache_that_cannot_be_written_to_only_costs_time(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("no folder")
    (tmp_path / "one").write_text("one")
    assert FileHashes(Cache(tmp_path / "cache")).sha256(tmp_path / "one") == digest("one")
