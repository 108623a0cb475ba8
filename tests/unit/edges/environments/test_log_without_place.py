"""A log that cannot be written is told as that, and not as a failure of the program that it is for."""

from __future__ import annotations

from pathlib import Path

import pytest

from envlock.edges.environments.uv_installs import run_uv
from envlock.model.errors import SurroundingsError


def test_what_a_log_lacks_is_not_put_down_to_uv(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    log = tmp_path / "file" / "log"
    with pytest.raises(SurroundingsError) as told:
        run_uv(tmp_path / "environment", ["--version"], log=log, on_line=None)
    assert (told.value.code, told.value.where) == ("not-writable", str(log))
