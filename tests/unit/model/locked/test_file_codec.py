"""How a lock writes the one file of a pin."""

from __future__ import annotations

import pytest

from envlock.model.decode import Table
from envlock.model.errors import RequestError
from envlock.model.locked.file_codec import decode_file, encode_file, own_of_file
from envlock.model.published.catalogue import DistFile, ListedBy

LISTED = {"sha256": "a" * 64, "size": 7}
REPOSITORY_URL = f"git+https://example.org/group/foo.git@{'c' * 40}"
PYTORCH = ListedBy("pytorch", "https://example.org/simple")


@pytest.mark.parametrize(
    ("file", "key"),
    [
        (DistFile(filename="foo-1.0.tar.gz", url="https://example.org/foo-1.0.tar.gz", **LISTED), "sdist"),
        (
            DistFile(filename="foo-1.0.tar.bz2", url="https://example.org/foo-1.0.tar.bz2", **LISTED),
            "archive",
        ),
        (
            DistFile(filename="foo-1.0.tar.bz2", url="https://example.org/x#sub", index=PYTORCH, **LISTED),
            "archive",
        ),
        (DistFile(filename="foo-1.0-1.zip", url="https://example.org/foo-1.0-1.zip", **LISTED), "archive"),
        (
            DistFile(filename="foo-1.0.tar.gz", url="https://example.org/v1.0.tar.gz", direct=True, **LISTED),
            "archive",
        ),
        (DistFile(filename="foo-1.0.tar.gz", url="models/foo-1.0.tar.gz", direct=True, **LISTED), "archive"),
        (DistFile(filename="src", url="src", sha256="", direct=True, editable=True), "directory"),
        (DistFile(filename="foo-1.0.tar.gz", url="src/", direct=True, **LISTED), "directory"),
        (DistFile(filename="foo-1.0.tar.gz", url="file:///srv/foo/", direct=True, **LISTED), "directory"),
        (DistFile(filename="foo-1.0.tar.gz", url=f"{REPOSITORY_URL}", direct=True, **LISTED), "vcs"),
        (
            DistFile(
                filename="foo-1.0.tar.gz", url=f"{REPOSITORY_URL}#subdirectory=python", direct=True, **LISTED
            ),
            "vcs",
        ),
    ],
    ids=[
        *(
            "sdist",
            "bzip2",
            "bzip2 of another index",
            "a version with a dash",
            "named by the manifest",
            "beside the manifest",
        ),
        *("editable", "folder", "whole path", "repository", "part of a repository"),
    ],
)
def test_what_is_written_is_read_again(file: DistFile, key: str) -> None:
    own = own_of_file(file, "foo") | ({"index": file.index.name} if file.index else {})
    written = encode_file(file, "foo")
    assert key in written
    assert decode_file(Table(written, file="lock"), Table(own, file="lock")) == file


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"name": "../../foo-1.0.tar.gz"}, "is not a file name"),
        ({"name": ".."}, "is not a file name"),
        ({"name": "foo.whl"}, "is not a wheel's file name"),
        ({"hashes": {"sha256": "../" * 20}}, "is not a sha256"),
        ({"hashes": {"sha256": "A" * 64}}, "is not a sha256"),
    ],
)
def test_what_would_lead_out_of_the_cache_is_refused(changes: dict[str, object], told: str) -> None:
    """A lock comes from others; a file is kept in a folder of its hash, under its name."""
    entry = {
        "name": "foo-1.0.tar.gz",
        "url": "https://example.org/x",
        "hashes": {"sha256": "a" * 64},
        **changes,
    }
    with pytest.raises(RequestError, match=told):
        decode_file(Table({"sdist": entry}, file="lock"), Table({}, file="lock"))


@pytest.mark.parametrize(
    ("package", "own", "told"),
    [
        ({"archive": {"path": "/etc/passwd", "hashes": {"sha256": "a" * 64}}}, {}, "does not begin with"),
        ({"directory": {"path": "../../src"}}, {"file": "a/b", "sha256": "a" * 64}, "is not a file name"),
        ({"directory": {"path": "../../src"}}, {"file": "foo-1.0.tar.gz", "sha256": "x"}, "is not a sha256"),
    ],
)
def test_nor_may_what_the_manifest_names(
    package: dict[str, object], own: dict[str, object], told: str
) -> None:
    with pytest.raises(RequestError, match=told):
        decode_file(Table(package, file="lock"), Table(own, file="lock"))


@pytest.mark.parametrize("name", ["a-1.0-py3-none-any.whl", "a-1.0.tar.gz", "a-1.0.tar.bz2"])
def test_a_password_in_an_address_that_an_index_lists_does_not_reach_a_lock(name: str) -> None:
    file = DistFile(filename=name, url=f"https://me:secret@example.org/{name}", sha256="0" * 64)
    written = str(encode_file(file, "a"))
    assert "secret" not in written
    assert f"https://example.org/{name}" in written


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        (
            "https://token@example.org/a-1.0.zip?x=1&Access_Token=secret&y=2",
            "https://example.org/a-1.0.zip?x=1&y=2",
        ),
        (
            "https://example.org/a-1.0.zip?X-Amz-Signature=secret#sha256=0",
            "https://example.org/a-1.0.zip#sha256=0",
        ),
        ("https://example.org/a-1.0.zip?design=a&sigma=b", "https://example.org/a-1.0.zip?design=a&sigma=b"),
        (f"git+https://token@example.org/a@{'c' * 40}", "'https://example.org/a'"),
        (f"git+ssh://git@example.org/a@{'c' * 40}", "ssh://git@example.org/a"),
    ],
)
def test_no_name_or_token_of_an_address_that_the_manifest_names_reaches_a_lock(url: str, kept: str) -> None:
    written = str(encode_file(DistFile(filename="a-1.0.zip", url=url, sha256="0" * 64, direct=True), "a"))
    assert "secret" not in written
    assert "token" not in written.lower()
    assert kept in written
