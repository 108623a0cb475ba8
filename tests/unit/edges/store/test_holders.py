"""Notes of what must stay in a store for files outside of it."""

from __future__ import annotations

import datetime as dt
import os
from pathlib import Path

import pytest

from envlock.edges.store.holders import held, is_gone, note_holder, note_promise, promises_of

FAR = dt.date(2999, 12, 31)


def test_a_promise_outlives_its_manifest_and_a_module_file_does_not(tmp_path: Path) -> None:
    manifest, module = tmp_path / "gone/envlock.toml", tmp_path / "module.lua"
    note_promise(tmp_path / "holders", ["a"], manifest, "thesis", FAR)
    note_holder(tmp_path / "holders", "b", module)
    assert set(held(tmp_path / "holders")) == {"a"}
    module.touch()
    assert set(held(tmp_path / "holders")) == {"a", "b"}
    assert set(held(tmp_path / "holders", without=manifest)) == {"b"}
    assert promises_of(tmp_path / "holders", manifest) == {"thesis": FAR}


def test_a_promise_whose_day_has_passed_holds_nothing(tmp_path: Path) -> None:
    note_promise(tmp_path / "holders", ["a"], tmp_path / "envlock.toml", "thesis", dt.date(2020, 1, 1))
    assert not set(held(tmp_path / "holders"))
    assert promises_of(tmp_path / "holders", tmp_path / "envlock.toml") == {}


@pytest.mark.parametrize(("days", "holds"), [(-1, True), (0, True), (1, False)])
def test_a_promise_holds_through_its_last_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, days: int, holds: bool
) -> None:
    until, manifest = dt.date(2030, 6, 30), tmp_path / "envlock.toml"
    note_promise(tmp_path / "holders", ["a"], manifest, "thesis", until)
    monkeypatch.setattr("envlock.edges.store.holders.today", lambda: until + dt.timedelta(days=days))
    assert set(held(tmp_path / "holders")) == ({"a"} if holds else set())
    assert promises_of(tmp_path / "holders", manifest) == ({"thesis": until} if holds else {})


def test_what_cannot_be_looked_at_is_not_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_gone(tmp_path / "nothing/here")

    stat = Path.stat

    def of_another(path: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        if path.is_relative_to(tmp_path / "closed"):
            raise PermissionError(13, "Permission denied")
        return stat(path, follow_symlinks=follow_symlinks)

    monkeypatch.setattr(Path, "stat", of_another)
    assert not is_gone(tmp_path / "closed/module.lua")
    note_holder(tmp_path / "holders", "k", tmp_path / "closed/module.lua")
    assert set(held(tmp_path / "holders")) == {"k"}
