"""The table of all groups in terminals of several widths."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from envlock.app.status import GroupStatus
from envlock.lifecycle.doubts import EnvironmentMissing, EvidenceMissing
from envlock.model.project.group import Freeze
from envlock.render.standing.status import status_text

ONE = GroupStatus(
    group="thesis-of-somebody",
    target="gpu-partition",
    lock=None,
    frozen=Freeze(until=dt.date(2027, 6, 30), reason="thesis"),
    environment=Path("/store/environments/key"),
    matches=True,
    size=287_574_209,
    inodes=13_500,
    report=None,
    from_site=None,
    reasons=(),
)


@pytest.mark.parametrize("width", [80, 100, 140])
def test_no_name_and_no_day_is_cut_off(width: int):
    console = Console(file=StringIO(), width=width)
    status_text([ONE], (), (), console)
    assert isinstance(console.file, StringIO)
    said = console.file.getvalue()
    assert max(map(len, said.splitlines())) <= width
    for word in ("thesis-of-somebody", "gpu-partition", "2027-06-30"):
        assert word in said


def test_groups_with_the_same_reasons_are_told_once():
    console = Console(file=StringIO(), width=140)
    gone = EnvironmentMissing()
    found = [replace(ONE, group=name, frozen=None, reasons=(gone,)) for name in ("speech", "nlp")]
    alone = replace(ONE, group="thesis", frozen=None, reasons=(gone, EvidenceMissing()))
    status_text([*found, alone], (), (), console)
    assert isinstance(console.file, StringIO)
    told = [line.strip() for line in console.file.getvalue().splitlines()]
    assert "speech, nlp on gpu-partition" in told
    assert told.count("do  envlock solve GROUP --target gpu-partition") == 1
    assert told.count("do  envlock solve thesis --target gpu-partition") == 1


def test_a_manifest_without_groups_leads_to_one():
    console = Console(file=StringIO(), width=140)
    status_text([], (), (), console)
    assert isinstance(console.file, StringIO)
    assert console.file.getvalue() == (
        "there is no group yet: add [groups.NAME] with requires to envlock.toml\n"
    )


def test_the_lock_that_a_renamed_group_left() -> None:
    console = Console(record=True, width=100)
    status_text([ONE], (), [Path("locks/local/pylock.plots.toml")], console)
    told = console.export_text()
    assert "locks/local/pylock.plots.toml is the lock of a group that envlock.toml does not have" in told
