"""Reading what programs printed."""

from __future__ import annotations

from pathlib import Path

from envlock.edges import log_files
from envlock.edges.log_files import both_ends


def test_a_long_log_is_read_at_both_ends(tmp_path: Path, monkeypatch) -> None:
    log = tmp_path / "log"
    monkeypatch.setattr(log_files, "_PART", 4)
    for text, begin, found in (
        ("abc", 0, "abc"),
        ("abcdefgh", 0, "abcdefgh"),
        ("abcdefghijk", 0, "abcd\n...\nhijk"),
        ("abcdefghijk", 4, "efghijk"),
        ("", 0, ""),
    ):
        log.write_text(text)
        assert both_ends(log, begin) == found
