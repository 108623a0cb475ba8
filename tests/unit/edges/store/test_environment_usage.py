from __future__ import annotations

import os
from pathlib import Path

import pytest

from envlock.edges.disk_usage import NOTHING
from envlock.edges.store.environment_usage import environment_usage
from envlock.edges.store.protection import protect, unprotect


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    prefix = tmp_path / "environment"
    (prefix / "lib").mkdir(parents=True)
    (prefix / "lib/one.py").write_text("1234")
    protect(prefix)
    return prefix


def test_an_environment_is_looked_through_once(environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measured = environment_usage(environment)
    assert (measured.size, measured.inodes) == (4, 3)

    def scandir(folder: Path) -> None:
        raise AssertionError(folder)

    monkeypatch.setattr(os, "scandir", scandir)
    assert environment_usage(environment) == measured


def test_what_was_mended_is_measured_anew(environment: Path) -> None:
    environment_usage(environment)
    before = environment.lstat().st_ctime_ns
    unprotect(environment)
    (environment / "lib/two.py").write_text("12345678")
    while environment.lstat().st_ctime_ns == before:  # file systems' clocks tick every few milliseconds
        protect(environment)
    assert environment_usage(environment).size == 12


def test_what_is_gone_takes_up_nothing(tmp_path: Path) -> None:
    assert environment_usage(tmp_path / "none") == NOTHING
