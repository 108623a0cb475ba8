from __future__ import annotations

import errno
import os
import shutil
import threading
from pathlib import Path

import pytest

from envlock.edges.files import (
    read_bytes,
    read_text,
    read_toml,
    write_error,
    write_named,
    write_text,
)
from envlock.model.errors import RequestError, SurroundingsError
from tests.patience import PATIENCE_S


def test_a_missing_file_is_a_wrong_request(tmp_path: Path) -> None:
    with pytest.raises(RequestError) as caught:
        read_bytes(tmp_path / "envlock.toml")
    assert (caught.value.code, caught.value.where) == ("file-missing", str(tmp_path / "envlock.toml"))


def test_a_folder_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="cannot be read"):
        read_text(tmp_path)


def test_another_encoding_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "envlock.toml"
    path.write_bytes("a = 1\nb = 'Müller'\n".encode("latin-1"))
    with pytest.raises(RequestError) as caught:
        read_toml(path)
    assert caught.value.code == "file-encoding"
    assert caught.value.where == f"{path}, line 2"
    assert "0xfc" in caught.value.why


def test_a_byte_order_mark_is_dropped(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(b"\xef\xbb\xbfa = 1\n")
    assert read_toml(tmp_path / "a.toml") == {"a": 1}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_tells_the_encoding_of_a_text(tmp_path: Path, encoding: str) -> None:
    """What PowerShell makes of ``pip freeze > requirements.txt`` is UTF-16."""
    (tmp_path / "r.txt").write_bytes("six==1.16.0\r\n# 日本\r\n".encode(encoding))
    assert read_text(tmp_path / "r.txt").splitlines() == ["six==1.16.0", "# 日本"]


def test_what_a_byte_order_mark_promises_and_is_not_there_is_refused(tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_bytes(b"\xff\xfe" + b"a")
    with pytest.raises(RequestError, match="not UTF-8"):
        read_text(tmp_path / "r.txt")


@pytest.mark.parametrize(
    ("text", "place"),
    [("a = 1\nb = = 2\n", "line 2, column 5"), ("[groups.x", "last line"), ("a b\n", "line 1, column 3")],
)
def test_a_syntax_error_has_line_and_column(tmp_path: Path, text: str, place: str) -> None:
    path = tmp_path / "envlock.toml"
    path.write_text(text)
    with pytest.raises(RequestError) as caught:
        read_toml(path)
    assert (caught.value.code, caught.value.where) == ("toml-syntax", f"{path}, {place}")
    assert caught.value.why


def test_a_merge_that_git_left_open_is_told_as_one(tmp_path: Path) -> None:
    path = tmp_path / "pylock.toml"
    path.write_text("a = 1\n<<<<<<< HEAD\nb = 2\n=======\nb = 3\n>>>>>>> other\n")
    with pytest.raises(RequestError) as caught:
        read_toml(path)
    assert (caught.value.code, caught.value.where) == ("merge-conflict", f"{path}, line 2")


def test_what_is_nested_too_deeply_is_told(tmp_path: Path) -> None:
    path = tmp_path / "envlock.toml"
    path.write_text(f"a = {'[' * 5000}{']' * 5000}\n")
    with pytest.raises(RequestError) as caught:
        read_toml(path)
    assert caught.value.code == "toml-syntax"


def test_a_write_replaces_and_keeps_permissions(tmp_path: Path) -> None:
    path = tmp_path / "new" / "lock.toml"
    write_text(path, "one")
    path.chmod(0o640)
    write_text(path, "two")
    assert path.read_text() == "two"
    assert path.stat().st_mode & 0o777 == 0o640
    assert [one.name for one in path.parent.iterdir()] == ["lock.toml"]


def test_a_full_disk_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lock.toml"
    write_text(path, "old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SurroundingsError) as caught:
        write_text(path, "new")
    assert caught.value.code == "disk-full"
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SurroundingsError) as caught:
        write_text(tmp_path / "file" / "lock.toml", "new")
    assert caught.value.code == "not-writable"


def test_what_vanished_while_it_was_read_is_named_and_not_the_place_to_write_to(tmp_path: Path) -> None:
    gone, place = tmp_path / "cache/wheel.whl", tmp_path / "store/wheels/key"
    with pytest.raises(FileNotFoundError) as raised:
        shutil.copyfile(gone, tmp_path / "copy")
    error = write_error(place, raised.value)
    assert (error.code, error.where) == ("file-vanished", str(gone))
    assert "again" in error.hint
    missing = OSError(errno.ENOENT, "gone", str(place.parent / ".key.0"))
    assert write_error(place, missing).code == "not-writable"
    assert write_error(place, OSError(errno.ENOENT, "gone", str(place.parent.parent))).code == "not-writable"


def test_what_a_killed_write_left_is_swept_by_a_later_one(tmp_path: Path) -> None:
    names = {"old": f".lock.toml.{'0' * 32}", "new": f".lock.toml.{'1' * 32}", "other": f".a.{'0' * 32}"}
    for name in names.values():
        (tmp_path / name).touch()
    for name in ("old", "other"):
        os.utime(tmp_path / names[name], (0, 0))
    write_text(tmp_path / "lock.toml", "x")
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"lock.toml", names["new"], names["other"]}  # somebody may be writing the new one


def test_who_may_not_read_a_file_is_told_how_to_find_out_whose_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> bytes:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(SurroundingsError) as caught:
        read_bytes(tmp_path / "closed")
    assert (caught.value.code, "namei -l" in caught.value.hint) == ("file-unreadable", True)
    with pytest.raises(RequestError) as named:
        read_bytes(tmp_path)
    assert (named.value.code, named.value.hint) == ("file-unreadable", "name a file in it")


def test_what_a_person_names_may_be_a_pipe_or_a_link(tmp_path: Path) -> None:
    """As in `-o >(program)`; and root who names /dev/null must not have a file there afterwards."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    heard: list[str] = []
    reader = threading.Thread(target=lambda: heard.append(pipe.read_text()))
    reader.start()
    write_named(pipe, "told")
    reader.join(PATIENCE_S)
    assert (heard, pipe.is_fifo()) == (["told"], True)
    link, file = tmp_path / "link", tmp_path / "file"
    link.symlink_to(file)
    for text in ("new", "newer"):
        write_named(link, text)
        assert (link.is_symlink(), file.read_text()) == (True, text)
    write_named(tmp_path / "folder" / "plain", "x")
    assert (tmp_path / "folder" / "plain").read_text() == "x"
    with pytest.raises(SurroundingsError, match="cannot be written"):
        write_named(tmp_path, "x")
