"""Files that several distributions install: the one that was installed last is there."""

from __future__ import annotations

import hashlib
from base64 import urlsafe_b64encode
from pathlib import Path

import pytest

from envlock.probe.against_lock import _hash_agrees, _recorded_alike, _size_differs
from envlock.probe.files import Recorded


def recorded(path: Path, content: bytes) -> Recorded:
    digest = urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
    return Recorded(str(path), f"sha256={digest}", str(len(content)))


@pytest.mark.parametrize(("content", "right"), [(b"# one\n", True), (b"# the other\n", True), (b"#", False)])
def test_a_file_of_two_is_that_of_one(tmp_path: Path, content: bytes, right: bool) -> None:
    path = tmp_path / "tests/__init__.py"
    path.parent.mkdir()
    path.write_bytes(content)
    one, other = recorded(path, b"# one\n"), recorded(path, b"# the other\n")
    alike = _recorded_alike([[one], [other]])
    assert [_size_differs(file, alike) == "" for file in (one, other)] == [right, right]
    assert [_hash_agrees(file, alike) for file in (one, other)] == [right, right]


@pytest.mark.parametrize("ending", ["", "="])
def test_a_hash_may_end_in_padding(tmp_path: Path, ending: str) -> None:
    """CatBoost's RECORDs have it, which PEP 376 did not forbid."""
    path = tmp_path / "a.py"
    path.write_bytes(b"abc")
    file = recorded(path, b"abc")
    assert _hash_agrees(file._replace(hash=file.hash + ending), {})


def test_a_file_of_one_alone_is_that_file(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"abc")
    file = recorded(tmp_path / "a.py", b"abd")
    alike = _recorded_alike([[file]])
    assert not _size_differs(file, alike)
    assert not _hash_agrees(file, alike)
