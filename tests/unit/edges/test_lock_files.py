"""Locks that were read before mean what their bytes mean, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from envlock.edges import lock_files
from envlock.edges.lock_files import locks_of_no_group, read_lock, read_own_lock, write_lock
from envlock.model.errors import RequestError
from envlock.model.knowing.source_edit import SourceEdit
from envlock.model.locked.lock import Lock
from envlock.model.locked.pins import BuildPlan
from tests.locks import distribution
from tests.locks import lock as lock_of

LOCK = Path(__file__).parents[2] / "golden/diff/pylock.base.toml"


@pytest.fixture(autouse=True)
def _a_cache_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENVLOCK_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def lock() -> Lock:
    return read_lock(LOCK).lock


def test_a_lock_is_decoded_once(tmp_path: Path, lock: Lock, monkeypatch: pytest.MonkeyPatch) -> None:
    written = write_lock(tmp_path / "pylock.a.toml", lock)
    first = read_lock(written.path)
    monkeypatch.setattr(lock_files, "parse_toml", lambda *_, **__: pytest.fail("parsed again"))
    assert read_lock(written.path) == first == written
    copy = tmp_path / "elsewhere/pylock.a.toml"
    copy.parent.mkdir()
    copy.write_bytes(written.path.read_bytes())
    assert read_lock(copy).path == copy


def test_how_a_pin_is_built_is_kept_whole(tmp_path: Path) -> None:
    edit = SourceEdit(file="cmake/FindPytorch.cmake", old="(CUDA_HOME)", new="")
    plan = BuildPlan(
        requires=(distribution("cmake", "3.25.2"),),
        against={"torch": "2.0.1"},
        systems={"gcc": "12.2.0"},
        variables={"HOROVOD_WITH_MPI": "1"},
        edits=(edit,),
    )
    written = write_lock(
        tmp_path / "pylock.a.toml", lock_of(replace(distribution("horovod", "0.28.1"), build=plan))
    )
    assert read_lock(written.path).lock.distributions[0].build == plan


def test_other_bytes_and_other_code_are_decoded_again(
    tmp_path: Path, lock: Lock, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_lock(tmp_path / "pylock.a.toml", lock).path
    read_lock(path)
    path.write_bytes(path.read_bytes().replace(lock.python.encode(), b"3.99.9"))
    for _ in range(2):
        assert read_lock(path).lock.python == "3.99.9"
        with pytest.raises(RequestError) as caught:
            read_own_lock(path)
        assert caught.value.code == "lock-edited"
    parsed = []
    whole = lock_files.parse_toml
    monkeypatch.setattr(lock_files, "parse_toml", lambda *a, **b: parsed.append(a) or whole(*a, **b))
    monkeypatch.setattr(lock_files, "code", lambda: "another release")
    read_lock(path)
    assert len(parsed) == 1


def test_what_is_no_lock_is_refused_each_time(tmp_path: Path, lock: Lock) -> None:
    path = write_lock(tmp_path / "pylock.a.toml", lock).path
    path.write_bytes(path.read_bytes()[:-400])
    for _ in range(2):
        with pytest.raises(RequestError):
            read_lock(path)


def test_an_interpreter_of_no_version_is_refused_where_the_lock_is_read(tmp_path: Path, lock: Lock) -> None:
    """What a merge leaves ended every command that reads the locks of all groups, as a bug."""
    path = write_lock(tmp_path / "pylock.a.toml", lock).path
    path.write_text(path.read_text().replace(f'python = "{lock.python}"', 'python = "3.x"'))
    with pytest.raises(RequestError, match=r"'3\.x' is no version") as raised:
        read_lock(path)
    assert raised.value.where.endswith("tool.envlock.python")


def test_a_lock_of_a_later_form_is_not_only_to_be_deleted(tmp_path: Path, lock: Lock) -> None:
    path = write_lock(tmp_path / "pylock.a.toml", lock).path
    path.write_text(path.read_text().replace('lock-version = "1.0"', 'lock-version = "1.1"'))
    with pytest.raises(RequestError) as raised:
        read_lock(path)
    assert raised.value.hint.startswith("update envlock, or ")


def test_a_cache_that_cannot_be_written_to_is_only_slow(
    tmp_path: Path, lock: Lock, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = write_lock(tmp_path / "pylock.a.toml", lock)
    (tmp_path / "file").touch()
    monkeypatch.setenv("ENVLOCK_CACHE_DIR", str(tmp_path / "file"))
    assert read_lock(written.path) == read_lock(written.path) == written


def test_bytes_that_are_no_text_are_not_to_be_saved_otherwise(tmp_path: Path) -> None:
    """A manifest in another encoding is to be saved in UTF-8; nobody edits a lock."""
    path = tmp_path / "locks/v100/pylock.a.toml"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(RequestError) as caught:
        read_lock(path)
    assert (caught.value.code, "envlock solve a --target v100" in caught.value.hint) == (
        "file-encoding",
        True,
    )


def test_a_file_that_is_none_is_not_told_as_a_broken_lock(tmp_path: Path):
    path = tmp_path / "envlock.toml"
    path.write_text("[groups.a]\nrequires = []\n")
    with pytest.raises(RequestError, match="the file is not a lock") as caught:
        read_lock(path)
    assert caught.value.code == "invalid-lock"
    path.write_text("")
    with pytest.raises(RequestError, match="the lock is not valid"):  # one that was cut off before its start
        read_lock(path)


def test_the_locks_that_a_renamed_group_left(tmp_path: Path):
    for name in ("local/pylock.plots.toml", "gpu/pylock.plots.toml", "gpu/pylock.base.toml"):
        write_lock(tmp_path / "locks" / name, lock_of(distribution("six", "1.0")))
    (tmp_path / "locks/gpu/pylock.plots.report.json").write_text("{}")
    left = [path.relative_to(tmp_path).as_posix() for path in locks_of_no_group(tmp_path, {"base"})]
    assert left == ["locks/gpu/pylock.plots.toml", "locks/local/pylock.plots.toml"]
    assert [path.parent.name for path in locks_of_no_group(tmp_path, {"base"}, "local")] == ["local"]
