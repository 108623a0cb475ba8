from __future__ import annotations

import errno
import multiprocessing
import os
import pwd
from pathlib import Path

import pytest

from envlock.edges.cache import FORMAT, Cache, default_root
from envlock.edges.index.credentials import netrc_file
from envlock.edges.pip_configuration import read_pip_configuration
from envlock.model.errors import RequestError, SurroundingsError


@pytest.fixture
def cache(tmp_path):
    return Cache(tmp_path)


def only_file(cache):
    (path,) = (path for path in cache.root.rglob("*") if path.is_file())
    return path


def test_a_document_comes_back(cache):
    assert cache.read("pages", "key") is None
    cache.write("pages", "key", {"rows": [["é", None, 1]]})
    assert cache.read("pages", "key") == {"rows": [["é", None, 1]]}
    assert cache.read("others", "key") is None


def test_every_cut_and_every_flipped_byte_is_noticed(cache):
    cache.write("pages", "key", [1, "two"])
    path = only_file(cache)
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert cache.read("pages", "key") is None
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert cache.read("pages", "key") is None


def test_what_is_attached_comes_back_and_is_checked_as_well(cache):
    assert cache.read_attached("pages", "key", [str]) is None
    cache.write_attached("pages", "key", ["é"], b"rows")
    document, attached = cache.read_attached("pages", "key", [str])
    assert (document, bytes(attached)) == (["é"], b"rows")
    assert cache.read_attached("pages", "key", [int]) is None
    path = only_file(cache)
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert cache.read_attached("pages", "key", [str]) is None
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert cache.read_attached("pages", "key", [str]) is None


def test_what_is_attached_stays_as_it_was_read_when_another_writes_anew(cache):
    cache.write_attached("pages", "key", [1], b"before")
    _, attached = cache.read_attached("pages", "key", [int])
    cache.write_attached("pages", "key", [1], b"after")
    assert bytes(attached) == b"before"


@pytest.mark.parametrize(
    ("document", "form"),
    [
        ((1, "a"), (int, str)),
        ((1.5, None), (int | float, str | None)),
        ([("a", b"b")], [(str, bytes)]),
        ([], [int]),
        ({"a": 1, "b": "c"}, {"a": int, "b": str}),
        ({"a": 1, "b": 2}, {"*": int}),
    ],
)
def test_a_document_has_its_form_and_no_other(cache, document, form):
    cache.write("kind", "key", document)
    assert cache.read_as("kind", "key", form) == document
    for other in ((int,), (str, int), (int, str, str), [int, str], {"a": int}, {"*": bytes}, bytes):
        assert document == [] or cache.read_as("kind", "key", other) is None
    assert cache.read_as("kind", "elsewhere", form) is None


def test_a_document_of_another_key_is_no_answer(cache):
    cache.write("pages", "one", 1)
    first = only_file(cache)
    content = first.read_bytes()
    first.unlink()
    cache.write("pages", "two", 2)
    only_file(cache).write_bytes(content)
    assert cache.read("pages", "two") is None


def test_a_write_that_fails_leaves_the_old_file_and_no_rest(cache, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def fail():
        with cache.writing(path) as file:
            file.write(b"new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert path.read_bytes() == b"old"
    assert [found.name for found in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("failure", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_a_document_that_cannot_be_put_in_place_leaves_the_old_one_and_no_rest(cache, monkeypatch, failure):
    def fail(*_):
        raise failure

    cache.write("pages", "key", 1)
    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises((SurroundingsError, KeyboardInterrupt)) as caught:
        cache.write("pages", "key", 2)
    assert getattr(caught.value, "code", "") == ("disk-full" if isinstance(failure, OSError) else "")
    assert only_file(cache)
    assert cache.read("pages", "key") == 1


def test_documents_are_for_their_user_alone(cache):
    cache.write("pages", "key", 1)
    assert only_file(cache).stat().st_mode & 0o777 == 0o600


def test_a_folder_that_cannot_be_written_to(tmp_path):
    (tmp_path / FORMAT).write_text("a file where the folder should be")
    with pytest.raises(SurroundingsError) as caught:
        Cache(tmp_path).write("pages", "key", 1)
    assert caught.value.code == "cache-unwritable"
    assert "ENVLOCK_CACHE_DIR" in caught.value.hint


def test_the_variable_names_the_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("ENVLOCK_CACHE_DIR", str(tmp_path))
    assert default_root() == tmp_path
    monkeypatch.delenv("ENVLOCK_CACHE_DIR")
    assert default_root().name == "envlock"


@pytest.fixture
def nobody(monkeypatch):
    """A user with a number alone, as containers give them."""

    def unknown(_number: int) -> None:
        raise KeyError

    for name in ("HOME", "XDG_CACHE_HOME", "ENVLOCK_CACHE_DIR", "NETRC"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)


def test_who_has_no_home_is_told_how_to_name_a_folder(nobody):
    with pytest.raises(RequestError) as refusal:
        default_root()
    assert "ENVLOCK_CACHE_DIR" in refusal.value.hint


def test_who_has_no_home_needs_none_elsewhere(nobody, monkeypatch, tmp_path):
    monkeypatch.setenv("ENVLOCK_CACHE_DIR", "~nobody-of-that-name/cache")
    assert default_root() == Path("~nobody-of-that-name/cache")
    assert read_pip_configuration({"PIP_FIND_LINKS": "~nobody-of-that-name"}).index_url
    assert not netrc_file().exists()


def write_often(folder: Path, value: str) -> None:
    cache = Cache(folder)
    for _ in range(200):
        cache.write("pages", "key", value * 5000)
        if cache.read("pages", "key") not in ("a" * 5000, "b" * 5000):
            raise SystemExit(1)


def test_two_processes_never_see_half_a_document(tmp_path):
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=write_often, args=(tmp_path, value)) for value in "ab"]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]


def test_what_somebody_else_wrote_does_not_count(tmp_path, monkeypatch):
    """A folder of scratch data is often one that all of a project, or everybody, can write to."""
    mine = Cache(tmp_path)
    mine.write("pages", "key", [1])
    mine.write_attached("rows", "key", [1], b"rows")
    owner, other = os.geteuid(), os.geteuid() + 4242
    whole = os.fstat

    def owned_by(uid):
        return lambda file: os.stat_result((*whole(file)[:4], uid, *whole(file)[5:]))

    monkeypatch.setattr(os, "fstat", owned_by(other))
    assert mine.read("pages", "key") is None
    assert mine.read_attached("rows", "key", [int]) is None
    monkeypatch.setattr(os, "fstat", owned_by(0))
    assert mine.read("pages", "key") == [1]
    monkeypatch.setattr(os, "geteuid", lambda: other)  # as another user, in the owner's folder
    monkeypatch.setattr(os, "fstat", owned_by(owner))
    assert Cache(tmp_path).read("pages", "key") == [1]
    assert Cache(tmp_path / "new").read("pages", "key") is None


def test_what_cannot_be_read_to_be_kept_is_no_fault_of_the_cache(cache: Cache, tmp_path: Path) -> None:
    with pytest.raises(PermissionError), cache.writing(tmp_path / "kept"):
        raise PermissionError(errno.EACCES, "Permission denied", str(tmp_path / "sources/secret"))
    with pytest.raises(SurroundingsError) as caught, cache.writing(tmp_path / "kept"):
        raise FileNotFoundError(errno.ENOENT, "No such file", str(tmp_path / "sources/gone"))
    assert caught.value.code == "file-vanished"
    assert not list(tmp_path.glob("*.part"))
