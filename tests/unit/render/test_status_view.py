"""The table of all groups in terminals of several widths."""

from __future__ import annotations

import datetime as dt
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from envlock.app.status import Standing
from envlock.model.manifest import Freeze
from envlock.render.status import status_text

ONE = Standing(
    group="thesis-of-somebody",
    target="gpu-partition",
    lock=None,
    frozen=Freeze(until=dt.date(2027, 6, 30), reason="thesis"),
    environment=Path("/store/environments/key"),
    matches=True,
    size=287_574_209,
    inodes=13_500,
    report=None,
    brought=None,
    reasons=(),
)


@pytest.mark.parametrize("width", [80, 100, 140])
def test_no_name_and_no_day_is_cut_off(width: int):
    console = Console(file=StringIO(), width=width)
    status_text([ONE], (), console)
    assert isinstance(console.file, StringIO)
    said = console.file.getvalue()
    assert max(map(len, said.splitlines())) <= width
    for word in ("thesis-of-somebody", "gpu-partition", "2027-06-30"):
        assert word in said
