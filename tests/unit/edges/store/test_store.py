from __future__ import annotations

import errno
import json
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from envlock.edges.store.completeness import MARKER
from envlock.edges.store.protection import unprotect
from envlock.edges.store.store import Store
from envlock.model.errors import RequestError, SurroundingsError
from tests.patience import PATIENCE_S, wait_until


def _fill(prefix: Path) -> None:
    (prefix / "bin").mkdir(parents=True)
    (prefix / "bin/python").touch()


def test_an_environment_is_made_once_and_says_what_it_is(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    assert store.environment("k") is None

    def fill(prefix: Path) -> dict[str, object]:
        _fill(prefix)
        return {"lock": "abc"}

    prefix = store.create("k", fill)
    assert store.environment("k") == prefix == store.create("k", lambda _: pytest.fail("made twice"))
    document = json.loads((prefix / MARKER).read_text())
    assert store.marker("k") == document
    assert document["lock"] == "abc"
    assert set(document) == {"lock", "created", "envlock", "prefix"}


def test_an_environment_that_was_moved_or_copied_is_none(tmp_path: Path) -> None:
    """Its programs name the place where it was made; by a link it is still there."""
    Store(tmp_path / "store").create("k", _fill)
    (tmp_path / "link").symlink_to("store")
    assert Store(tmp_path / "link").environment("k") is not None
    subprocess.run(["cp", "-a", tmp_path / "store", tmp_path / "copy"], check=True)
    assert Store(tmp_path / "copy").environment("k") is None
    (tmp_path / "store").rename(tmp_path / "moved")
    store = Store(tmp_path / "moved")
    assert store.environment("k") is None
    prefix = store.create("k", _fill)
    assert store.environment("k") == prefix


def test_an_environment_whose_interpreter_is_gone_is_made_anew(tmp_path: Path) -> None:
    """It stays the current one of whoever had it, and is there for them again."""
    real = tmp_path / "python"
    real.touch()

    def fill(prefix: Path) -> None:
        (prefix / "bin").mkdir(parents=True)
        (prefix / "bin/python").symlink_to(real)

    mine, theirs = Store(tmp_path / "store", "mine"), Store(tmp_path / "store", "theirs")
    theirs.switch("local", "both", theirs.create("k", fill).name)
    real.unlink()
    assert not mine.has_usable("k")
    prefix = mine.create("k", _fill)
    assert mine.has_usable("k")
    assert not (prefix / "bin/python").is_symlink()
    assert theirs.current("local", "both") == prefix


def test_version_control_does_not_see_a_projects_own_store(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    Store(tmp_path / ".envlock").create("k", _fill)
    Store(tmp_path / "shared", "project").create("k", _fill)
    seen = subprocess.run(
        ["git", "-C", tmp_path, "status", "--porcelain"], capture_output=True, text=True, check=True
    )
    assert seen.stdout.split() == ["??", "shared/"]


def test_a_damaged_marker_does_not_say_where_it_was_made(tmp_path: Path) -> None:
    store = Store(tmp_path)
    marker = store.create("k", _fill) / MARKER
    document = json.loads(marker.read_text())
    del document["prefix"]
    marker.chmod(0o644)
    marker.parent.chmod(0o755)
    marker.write_text(json.dumps(document))
    assert store.environment("k") is not None


def test_a_failed_environment_leaves_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path)

    def fail(prefix: Path) -> None:
        _fill(prefix)
        raise SurroundingsError("environment-failed", "no")

    with pytest.raises(SurroundingsError, match="no"):
        store.create("k", fail)
    assert list((tmp_path / "environments").iterdir()) == []
    assert store.create("k", _fill) == store.environment("k")


def test_a_full_disk_is_named_and_the_old_environment_stays_current(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.create("old", _fill)
    store.switch("local", "both", "old")

    def full(prefix: Path) -> None:
        _fill(prefix)
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(SurroundingsError) as caught:
        store.create("new", full)
    assert caught.value.code == "disk-full"
    assert store.current("local", "both") == store.environment("old")
    assert not (tmp_path / "environments/new").exists()


def test_a_killed_creator_is_continued_and_blocks_nobody(tmp_path: Path) -> None:
    program = (
        "import sys, time; from pathlib import Path; from envlock.edges.store.store import Store\n"
        "def fill(prefix): (prefix / 'half').mkdir(parents=True); time.sleep(3600)\n"
        "Store(Path(sys.argv[1])).create('k', fill)"
    )
    half = tmp_path / "environments/k/half"
    with subprocess.Popen([sys.executable, "-c", program, str(tmp_path)]) as creator:
        assert wait_until(half.exists)
        creator.send_signal(signal.SIGKILL)
    assert Store(tmp_path).environment("k") is None
    prefix = Store(tmp_path).create("k", _fill)
    assert not half.exists()
    assert (prefix / "bin/python").exists()


def test_of_two_creators_one_waits_for_the_other(tmp_path: Path) -> None:
    filled: list[Path] = []
    waiting = threading.Event()

    def fill(prefix: Path) -> None:
        filled.append(prefix)
        assert waiting.wait(PATIENCE_S)
        _fill(prefix)

    def create(_: int) -> Path:
        return Store(tmp_path).create("k", fill, on_wait=waiting.set)

    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(create, range(2)))
    assert made[0] == made[1]
    assert len(filled) == 1


def test_a_group_switches_in_one_step_and_its_old_environment_stays(tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert store.current("local", "both") is None
    old, new = store.create("old", _fill), store.create("new", _fill)
    store.switch("local", "both", "old")
    assert store.current("local", "both") == old
    store.switch("local", "both", "new")
    assert store.current("local", "both") == new
    assert store.environment("old") == old
    assert [link.name for link in (tmp_path / "current/local").iterdir()] == ["both"]
    assert (tmp_path / "current/local/both/bin/python").exists()


@pytest.mark.parametrize("text", ["{", "[]", '{"environment": "k"}'])
def test_a_note_that_does_not_tell_what_must_stay_stops_the_sweep(tmp_path: Path, text: str) -> None:
    (tmp_path / "holders").mkdir()
    (tmp_path / "holders/damaged.json").write_text(text)
    with pytest.raises(RequestError) as caught:
        Store(tmp_path).in_use()
    assert (caught.value.code, caught.value.where) == ("holder-damaged", f"{tmp_path}/holders/damaged.json")


def test_groups_of_one_name_in_two_projects_do_not_meet(tmp_path: Path) -> None:
    ours, theirs = Store(tmp_path, "1-ours"), Store(tmp_path, "2-theirs")
    mine, other = ours.create("mine", _fill), theirs.create("other", _fill)
    ours.switch("local", "both", "mine")
    theirs.switch("local", "both", "other")
    assert (ours.current("local", "both"), theirs.current("local", "both")) == (mine, other)
    assert ours.previous("local", "both") is None
    assert ours.reports("local", "both") != theirs.reports("local", "both")
    assert ours.in_use() == theirs.in_use() == Store(tmp_path).in_use() == {"mine", "other"}


def test_what_is_current_already_needs_no_open_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path)
    store.create("k", _fill)
    store.switch("local", "both", "k")
    monkeypatch.setattr("envlock.edges.store.store.alone", lambda *_: pytest.fail("nothing is to be claimed"))
    assert store.switch("local", "both", "k") == store.environment("k")


def test_a_group_does_not_switch_to_what_is_not_complete(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.create("old", _fill)
    store.switch("local", "both", "old")
    _fill(tmp_path / "environments/new")
    with pytest.raises(SurroundingsError) as caught:
        store.switch("local", "both", "new")
    assert caught.value.code == "environment-missing"
    assert caught.value.hint == "run the same command again"
    assert store.current("local", "both") == store.environment("old")


def test_a_removed_environment_is_not_current(tmp_path: Path) -> None:
    store = Store(tmp_path)
    prefix = store.create("k", _fill)
    store.switch("local", "both", "k")
    unprotect(prefix)
    (prefix / MARKER).unlink()
    assert store.current("local", "both") is None


def test_a_wheel_is_built_once_and_its_work_is_cleared(tmp_path: Path) -> None:
    store = Store(tmp_path)

    def build(work: Path) -> Path:
        wheel = work / "gast-0.2.2-py3-none-any.whl"
        wheel.write_bytes(b"wheel")
        return wheel

    kept = store.wheels.make("k", build, on_wait=lambda: pytest.fail("nobody else builds it"))
    assert kept.read_bytes() == b"wheel"
    assert kept == store.wheels.find("k") == store.wheels.make("k", lambda _: pytest.fail("built twice"))
    assert list((tmp_path / "building").iterdir()) == []


def test_a_failed_build_keeps_no_wheel(tmp_path: Path) -> None:
    def fail(work: Path) -> Path:
        raise SurroundingsError("build-failed", "no")

    with pytest.raises(SurroundingsError, match="no"):
        Store(tmp_path).wheels.make("k", fail)
    assert Store(tmp_path).wheels.find("k") is None


def test_a_wheel_kept_twice_stays_as_it_was(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    for content in (b"one", b"two"):
        (tmp_path / "a-1-py3-none-any.whl").write_bytes(content)
        kept = store.wheels.keep("k", tmp_path / "a-1-py3-none-any.whl")
    assert kept.read_bytes() == b"one"
    assert [place.name for place in kept.parent.parent.iterdir()] == ["k"]


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SurroundingsError) as caught:
        Store(tmp_path / "file").create("k", _fill)
    assert caught.value.code == "not-writable"


def test_the_environment_before_is_remembered(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for key in ("one", "two", "one"):
        store.create(key, _fill)
    store.switch("local", "both", "one")
    assert store.previous("local", "both") is None
    store.switch("local", "both", "two")
    assert store.previous("local", "both") == store.environment("one")
    store.switch("local", "both", "two")  # nothing moves, nothing is forgotten
    assert store.previous("local", "both") == store.environment("one")
    store.switch("local", "both", "one")
    assert store.previous("local", "both") == store.environment("two")
    assert store.remove("two")
    assert store.previous("local", "both") is None


def test_only_what_nobody_uses_is_removed(tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert store.environments() == ()
    assert store.in_use() == frozenset()
    for key in ("old", "new", "other"):
        store.create(key, _fill)
    store.switch("local", "both", "old")
    store.switch("local", "both", "new")
    store.switch("elsewhere", "thesis", "other")
    assert store.in_use() == {"new", "other"}
    assert [store.remove(key) for key in store.environments()] == [False, True, False]
    assert store.environments() == ("new", "other")
    with pytest.raises(SurroundingsError) as caught:
        store.switch("local", "both", "old")
    assert caught.value.code == "environment-missing"
    assert store.current("local", "both") == store.environment("new")


def test_what_is_gone_by_the_time_it_would_be_removed_counts_as_removed(tmp_path: Path) -> None:
    """Another collection was quicker, or a build that was under way has ended and cleared its work."""
    assert Store(tmp_path).remove("gone")
    assert Store(tmp_path).wheels.remove_build("gone")


def test_what_is_being_made_is_not_removed_and_what_was_left_unfinished_is(tmp_path: Path) -> None:
    program = (
        "import sys, time; from pathlib import Path; from envlock.edges.store.store import Store\n"
        "def fill(prefix): (prefix / 'half').mkdir(parents=True); time.sleep(3600)\n"
        "Store(Path(sys.argv[1])).create('k', fill)"
    )
    store = Store(tmp_path)
    half = tmp_path / "environments/k/half"
    with subprocess.Popen([sys.executable, "-c", program, str(tmp_path)]) as maker:
        assert wait_until(half.exists)
        assert not store.remove("k")
        assert half.exists()
        maker.send_signal(signal.SIGKILL)
    assert store.environments() == ("k",)
    assert store.remove("k")
    assert store.environments() == ()


def test_a_file_in_the_way_of_a_link_is_told(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    store.create("k", _fill)
    (tmp_path / "store/current").write_text("")
    with pytest.raises(SurroundingsError) as caught:
        store.switch("local", "g", "k")
    assert caught.value.code == "not-writable"


def test_a_link_that_is_put_in_place_meanwhile_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process points a group to an environment: its temporary link is gone a moment later."""
    store = Store(tmp_path / "store")
    store.switch("local", "g", store.create("k", _fill).name)
    temporary = tmp_path / "store/current/local/.g.0123"
    temporary.symlink_to("../../environments/k")
    is_symlink = Path.is_symlink

    def then_gone(path: Path) -> bool:
        found = is_symlink(path)
        if path == temporary:
            path.unlink(missing_ok=True)
        return found

    monkeypatch.setattr(Path, "is_symlink", then_gone)
    assert store.in_use() == {"k"}
