"""A store of a group, in which several people with their own umasks make and remove things."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest

from envlock.edges.store.leftovers import leftovers
from envlock.edges.store.places import discard_folder
from envlock.edges.store.protection import protect, who_alone_may_remove
from envlock.edges.store.store import Store

GROUP = 5555
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to somebody else")


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize(("umask", "file", "program"), [(0o077, 0o440, 0o550), (0o027, 0o440, 0o550)])
def test_the_group_reads_what_was_unpacked_under_a_umask_that_shuts_it_out(
    tmp_path: Path, umask: int, file: int, program: int
) -> None:
    """Installers link files out of a cache in which they have lain since before."""
    cache, prefix = tmp_path / "cache", tmp_path / "store/environment"
    before = os.umask(umask)
    try:
        cache.mkdir()
        (cache / "module.py").touch()
        (cache / "program").touch(0o777)
    finally:
        os.umask(before)
    prefix.mkdir(parents=True)
    prefix.chmod(0o2775)
    for name in ("module.py", "program"):
        (prefix / name).hardlink_to(cache / name)
    protect(prefix)
    assert rights(prefix / "module.py") & 0o770 == file
    assert rights(prefix / "program") & 0o770 == program


def test_other_stores_give_the_group_nothing(tmp_path: Path) -> None:
    (tmp_path / "environment").mkdir()
    (tmp_path / "environment/module.py").touch(0o600)
    protect(tmp_path / "environment")
    assert rights(tmp_path / "environment/module.py") == 0o400


@as_root
def test_what_has_another_group_becomes_the_stores(tmp_path: Path) -> None:
    prefix = tmp_path / "environment"
    (prefix / "lib").mkdir(parents=True)
    (prefix / "lib/module.py").touch(0o640)
    for folder in (prefix, prefix / "lib"):
        os.chown(folder, -1, GROUP)
        folder.chmod(0o2775)
    protect(prefix)
    assert (prefix / "lib/module.py").stat().st_gid == GROUP


@as_root
def test_gc_of_one_leaves_what_another_made(tmp_path: Path) -> None:
    for folder in (tmp_path, *list(tmp_path.parents)[:3]):  # one more below each worker of a parallel run
        folder.chmod(folder.stat().st_mode | 0o055)
    root = tmp_path / "store"
    root.mkdir()
    root.chmod(0o2777)
    before = os.umask(0)
    try:
        theirs = Store(root).create("theirs", lambda prefix: (prefix / "lib").mkdir(parents=True))
    finally:
        os.umask(before)
    child = os.fork()
    if child == 0:
        outcome = None
        try:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            outcome = (who_alone_may_remove(theirs), Store(root).remove("theirs"))
        finally:  # whatever happened: a second pytest must not go on from here
            os._exit(0 if outcome == ("root", False) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert theirs.is_dir()
    assert who_alone_may_remove(theirs) == ""


def test_what_cannot_be_emptied_is_put_aside_and_found_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another user's killed build, whose unpacked source nobody else may change."""
    work = tmp_path / "building/key"
    work.mkdir(parents=True)
    monkeypatch.setattr(shutil, "rmtree", lambda folder, ignore_errors=False: None)
    discard_folder(work)
    assert not work.exists()
    (aside,) = (tmp_path / "building").iterdir()
    os.utime(aside, (0, 0))
    assert [one.path for one in leftovers(Store(tmp_path))] == [aside]
