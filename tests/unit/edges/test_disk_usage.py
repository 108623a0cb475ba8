from __future__ import annotations

import os
from pathlib import Path

import pytest

from envlock.edges.disk_usage import usage


def test_what_vanishes_meanwhile_hides_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(4):
        (tmp_path / f"{number}").write_text("1234")
    scan = os.scandir

    class Vanishing:
        """The entries of a folder from which one is removed once they have been listed."""

        def __init__(self, folder: Path) -> None:
            with scan(folder) as listed:
                self.entries = sorted(listed, key=lambda entry: entry.name)
            (tmp_path / "1").unlink()

        def __enter__(self) -> list[os.DirEntry[str]]:
            return self.entries

        def __exit__(self, *_: object) -> None:
            pass

    monkeypatch.setattr(os, "scandir", Vanishing)
    assert (usage(tmp_path).size, usage(tmp_path / "none").size) == (3 * 4, 0)
