from __future__ import annotations

import os
from pathlib import Path

import pytest

from envlock.edges.cache import FORMAT, Cache
from envlock.edges.cache_contents import CachePart, cache_parts, prune_cache

LONG_AGO, SINCE = 1_000_000.0, 2_000_000.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A cache with an old and a new download, links to them as uv is shown them, and what others left."""
    cache = Cache(tmp_path)
    for sha256, content in (("aa", b"old!"), ("bb", b"new")):
        path = cache.file(sha256, f"{sha256}.whl")
        with cache.writing(path) as file:
            file.write(content)
        link = tmp_path / "offered" / sha256 / path.name
        link.parent.mkdir(parents=True)
        link.symlink_to(path)
    cache.write("metadata-1", "key", ["a document"])
    cache.write("pages-1", "key", ["a page"])
    for other in ("v0/files/old.whl", "mine/thesis.tex", "vault/key"):
        path = tmp_path / other
        path.parent.mkdir(parents=True)
        path.write_text("12345")
    for old in ("v0/files/old.whl", f"{FORMAT}/files/aa/aa/aa.whl", "mine/thesis.tex", "vault/key"):
        os.utime(tmp_path / old, (LONG_AGO, LONG_AGO))
    return tmp_path


def test_files_are_counted_by_kind_and_by_use(folder: Path):
    downloads, pages, extracts, outdated = cache_parts(folder, unused_since=SINCE)
    assert downloads == CachePart(kind="downloads", files=2, size=7, unused_files=1, unused_size=4)
    assert (pages.kind, pages.files, pages.unused_files) == ("pages", 1, 0)
    assert (extracts.kind, extracts.files, extracts.unused_files) == ("extracts", 1, 0)
    assert outdated == CachePart(kind="outdated", files=1, size=5, unused_files=1, unused_size=5)


def test_what_was_read_lately_is_in_use(folder: Path):
    os.utime(folder / FORMAT / "files/aa/aa/aa.whl", (SINCE, LONG_AGO))
    assert cache_parts(folder, unused_since=SINCE)[0].unused_files == 0


def test_pruning_leaves_what_is_used_and_what_is_not_ours(folder: Path):
    prune_cache(folder, unused_since=SINCE)
    left = {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}
    assert {one for one in left if not one.startswith((f"{FORMAT}/metadata", f"{FORMAT}/pages"))} == {
        f"{FORMAT}/files/bb/bb/bb.whl",
        "offered/bb/bb.whl",
        "mine/thesis.tex",
        "vault/key",
    }
    assert not (folder / "v0").exists()
    assert not (folder / "offered/aa").exists()
    assert Cache(folder).read("metadata-1", "key") == ["a document"]


def test_a_cache_that_is_not_there_is_empty(tmp_path: Path):
    prune_cache(tmp_path / "none", unused_since=SINCE)
    assert cache_parts(tmp_path / "none", unused_since=SINCE) == ()
