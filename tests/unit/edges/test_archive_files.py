"""What is left where archives are unpacked."""

from __future__ import annotations

import errno
import os
import tarfile
import time
from pathlib import Path

import pytest

from envlock.edges.archive_files import made_aside, opened_archive, refuse_compressed
from envlock.edges.bags import BagWriter
from envlock.model.errors import RequestError, SurroundingsError

_HOUR_S = 3600.0


def left_by_a_kill(scratch: Path, name: str, age_s: float) -> Path:
    folder = scratch / f".envlock-archive-{name}"
    folder.mkdir()
    (folder / "half-written").write_text("of a wheel\n")
    then = time.time() - age_s
    os.utime(folder, (then, then))
    return folder


def test_what_a_killed_restore_unpacked_is_swept_a_day_later(tmp_path: Path) -> None:
    old = left_by_a_kill(tmp_path, "old", 25 * _HOUR_S)
    young = left_by_a_kill(tmp_path, "young", _HOUR_S)
    own = tmp_path / "somebody's"
    own.mkdir()
    os.utime(own, (0, 0))
    packed = tmp_path / "empty.tar"
    with tarfile.open(packed, "w"):
        pass
    with pytest.raises(RequestError) as caught, opened_archive(packed, tmp_path):
        pass
    assert caught.value.code == "not-an-archive"
    assert not old.exists()
    assert young.exists()  # another restore may be at it
    assert own.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([young.name, own.name, packed.name])


@pytest.mark.parametrize("top", ["thesis", "."])
def test_a_bag_may_have_been_packed_again_without_its_folder(tmp_path: Path, top: str) -> None:
    bag = BagWriter(tmp_path / "bag")
    bag.write("a.txt", "a")
    bag.finish({})
    packed = tmp_path / "again.tar"
    with tarfile.open(packed, "w") as tar:
        tar.add(tmp_path / "bag", top)
    with pytest.raises(RequestError) as caught, opened_archive(packed, tmp_path):
        pass
    assert caught.value.message == "this is a bag, but envlock did not make it"


@pytest.mark.parametrize("name", ["kept.tar.gz", "kept.TGZ", "kept.zip"])
def test_no_archive_bears_the_name_of_a_compressed_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(RequestError) as caught:
        refuse_compressed(tmp_path / name)
    assert (caught.value.code, caught.value.hint) == ("archive-compressed", f"--archive {tmp_path}/kept.tar")
    (tmp_path / name).mkdir()
    refuse_compressed(tmp_path / name)  # one that was made before this was refused
    refuse_compressed(tmp_path / "kept.tar")
    refuse_compressed(tmp_path / "kept")


@pytest.mark.parametrize("ending", [KeyboardInterrupt, OSError])
def test_nothing_half_written_lies_beside_an_archive_that_was_not_made(
    tmp_path: Path, ending: type[BaseException]
) -> None:
    def fail() -> None:
        with made_aside(tmp_path / "kept" / "thesis") as aside:
            aside.mkdir()
            (aside / "wheel").write_text("half")
            raise ending

    with pytest.raises(ending):
        fail()
    assert list((tmp_path / "kept").iterdir()) == []


def test_a_folder_that_cannot_be_made_in_a_bag_is_told_as_such(tmp_path: Path) -> None:
    bag = BagWriter(tmp_path / "bag")
    bag.write("knowledge", "a")
    with pytest.raises(SurroundingsError) as caught:
        bag.write("knowledge/0/components.toml", "b")
    assert caught.value.code == "not-writable"


def test_an_archive_that_cannot_be_read_is_told_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = tmp_path / "kept.tar"
    packed.touch()

    def closed(path: Path, *_: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(Path, "open", closed)
    with pytest.raises(SurroundingsError) as caught, opened_archive(packed, tmp_path):
        pass
    assert (caught.value.code, caught.value.where) == ("file-unreadable", str(packed))
