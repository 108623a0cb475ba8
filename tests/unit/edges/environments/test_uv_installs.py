"""Errors of uv, as what they are to somebody who wants an environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from envlock.edges.environments import uv_installs
from envlock.model.errors import SurroundingsError


@pytest.mark.parametrize(
    ("why", "code"),
    [
        ("failed to copy file: No space left on device (os error 28)", "disk-full"),
        ("failed to copy file: Disk quota exceeded (os error 122)", "disk-full"),
        ("failed to copy file: Permission denied (os error 13)", "environment-failed"),
    ],
)
def test_a_disk_or_a_quota_without_room_is_told_as_that(
    why: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise SurroundingsError("tool-failed", "uv ended with exit status 2", why=why)

    monkeypatch.setattr(uv_installs, "run_logged", fails)
    with pytest.raises(SurroundingsError) as caught:
        uv_installs.run_uv(tmp_path, ["venv"], log=tmp_path / "log", on_line=None)
    assert caught.value.code == code


def test_a_cache_on_a_file_system_without_locks_is_told_as_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        why = "cause: failed to lock `/home/me/.cache/uv/.lock`: No locks available (os error 37)"
        raise SurroundingsError("tool-failed", "uv ended with exit status 2", why=why)

    monkeypatch.setattr(uv_installs, "run_logged", fails)
    with pytest.raises(SurroundingsError) as caught:
        uv_installs.run_uv(tmp_path, ["venv"], log=tmp_path / "log", on_line=None)
    assert "UV_CACHE_DIR" in caught.value.hint
