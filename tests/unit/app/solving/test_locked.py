"""What is told of an environment beside its lock."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from envlock.app.project import Options, open_project
from envlock.app.solving import locked as told
from envlock.app.solving.locked import Locked, with_environment
from envlock.edges.lock_files import LockFile
from tests.memory import machine


@pytest.mark.parametrize(("site", "says"), [("", False), ('[site]\nstore = "{}"\n', True)])
def test_in_a_shared_store_an_interpreter_that_others_cannot_start_is_told(
    site: str, says: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """A project's own store is its maker's, as that of root in a container is."""
    home = tmp_path / "home"
    monkeypatch.setattr(told, "closed_to_others", lambda _: home)
    (tmp_path / "envlock.toml").write_text(f"{site.format(tmp_path / 'store')}[groups.tiny]\n")
    project = open_project(Options(project=tmp_path))
    plain = Locked(file=cast("LockFile", None), changed=True, environment=None, target=machine())
    found = with_environment(plain, project, tmp_path / "environment")
    assert found.environment == tmp_path / "environment"
    assert [str(home) in remark for remark in found.remarks] == ([True] if says else [])
