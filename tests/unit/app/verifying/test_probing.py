"""Where a verification works."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from envlock.app.verifying import evidence
from envlock.app.verifying.evidence import need_place_for_report
from envlock.app.verifying.probing import working_folder
from envlock.model.errors import SurroundingsError


def places(store: Path, locks: Path) -> tuple[Any, Any]:
    """A project and its environment, as far as they tell where a verification may work."""
    found = SimpleNamespace(file=SimpleNamespace(path=locks / "pylock.stack.toml"))
    return SimpleNamespace(store=SimpleNamespace(root=store)), found


def test_a_verification_works_in_the_store_or_where_its_report_goes(tmp_path: Path) -> None:
    closed = tmp_path / "file/store"  # what nobody may make a folder in, root neither
    closed.parent.touch()
    for store, expected in ((tmp_path / "store", tmp_path / "store"), (closed, tmp_path / "locks")):
        with working_folder(*places(store, tmp_path / "locks"), "verify-") as folder:
            assert folder.parent == expected
            (folder / "plan.json").touch()
        assert not folder.exists()
    with working_folder(*places(closed, closed), "verify-", elsewhere=tmp_path) as folder:
        assert folder.parent == tmp_path
    with (
        pytest.raises(SurroundingsError, match="cannot be written"),
        working_folder(*places(closed, closed), "verify-"),
    ):
        pass


def test_what_could_not_be_kept_is_refused_before_it_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need_place_for_report(tmp_path / "pylock.stack.report.json")
    monkeypatch.setattr(evidence, "is_writable", lambda _folder: False)  # root may write anywhere
    with pytest.raises(SurroundingsError, match="report could not be written") as raised:
        need_place_for_report(tmp_path / "pylock.stack.report.json")
    assert "--ranks-only" in raised.value.hint
