from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from envlock.edges.store.protection import protect, share_with_group, unprotect
from envlock.edges.store.store import Store


def _fill(prefix: Path) -> None:
    (prefix / "lib").mkdir(parents=True)
    (prefix / "lib/module.py").write_text("answer = 42\n")
    (prefix / "lib/link").symlink_to("module.py")


@pytest.mark.parametrize(
    ("mode", "umask", "expected"),
    [(0o2775, 0o077, 0o007), (0o2775, 0o022, 0o002), (0o2755, 0o022, 0o022), (0o775, 0o022, 0o022)],
)
def test_a_groups_store_is_for_the_group(tmp_path: Path, mode: int, umask: int, expected: int) -> None:
    store = tmp_path / "shared/store"
    store.parent.mkdir()
    store.parent.chmod(mode)
    before = os.umask(umask)
    try:
        share_with_group(store)
    finally:
        changed = os.umask(before)
    assert changed == expected


def test_nobody_may_write_until_it_is_unprotected(tmp_path: Path) -> None:
    _fill(tmp_path / "e")
    protect(tmp_path / "e")
    places = [tmp_path / "e", *(tmp_path / "e").rglob("*")]
    assert all(not place.lstat().st_mode & 0o222 for place in places if not place.is_symlink())
    unprotect(tmp_path / "e")
    assert (tmp_path / "e/lib").stat().st_mode & 0o200
    assert not (tmp_path / "e/lib/module.py").stat().st_mode & 0o222
    shutil.rmtree(tmp_path / "e")


def test_a_complete_environment_is_read_only_and_can_be_removed(tmp_path: Path) -> None:
    store = Store(tmp_path)
    prefix = store.create("k", _fill)
    assert not prefix.stat().st_mode & 0o222
    store.mend("k", lambda place: (place / "lib/mended").touch())
    assert (prefix / "lib/mended").is_file()
    assert not (prefix / "lib").stat().st_mode & 0o222
    assert store.remove("k")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_another_owner_cannot_change_it_by_mistake_and_can_remove_it(tmp_path: Path) -> None:
    for folder in (tmp_path, *list(tmp_path.parents)[:2]):
        folder.chmod(0o755)
    store = Store(tmp_path / "store")
    prefix = store.create("k", _fill)
    subprocess.run(["chown", "-R", "nobody", str(tmp_path)], check=True)
    become = ["setpriv", "--reuid=nobody", "--clear-groups"]
    file = str(prefix / "lib/module.py")
    for command in (["sh", "-c", f"echo >> {file}"], ["touch", f"{prefix}/lib/more"], ["rm", "-f", file]):
        assert subprocess.run([*become, *command], capture_output=True, check=False).returncode != 0
    assert Path(file).read_text() == "answer = 42\n"
