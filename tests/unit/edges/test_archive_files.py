"""What is left where archives are unpacked."""

from __future__ import annotations

import os
import tarfile
import time
from pathlib import Path

import pytest

from envlock.edges.archive_files import opened_archive
from envlock.model.errors import RequestError

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
