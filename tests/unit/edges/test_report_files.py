from __future__ import annotations

import datetime as dt
import errno
import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from envlock.edges import report_files
from envlock.edges.digests import digests
from envlock.edges.report_files import KeptReports, read_report, write_report
from envlock.model.errors import RequestError
from tests.unit.model.proving.test_report import REPORT


def test_the_last_reports_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_files, "KEPT", 3)
    kept = KeptReports(tmp_path / "local/stack")
    assert list(kept.newest_first()) == []
    made = [replace(REPORT, started=REPORT.started + dt.timedelta(hours=hour)) for hour in range(5)]
    for report in made:
        kept.add(report)
    assert list(kept.newest_first()) == [made[4], made[3], made[2]]
    assert len(list(kept.folder.iterdir())) == 3


def test_a_damaged_one_is_passed_over(tmp_path: Path) -> None:
    kept = KeptReports(tmp_path)
    kept.add(REPORT)
    good = next(tmp_path.iterdir()).read_bytes()
    digits = gzip.compress(b"9" * 5000)
    for number, content in enumerate((good[:-20], b"", good[:40] + b"xxxx" + good[44:], b"no gzip", digits)):
        (tmp_path / f"2099010{number}.json.gz").write_bytes(content)
    assert list(kept.newest_first()) == [REPORT]


def test_those_of_others_neither_end_a_verification_nor_hide_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a group's store, reports of another user may be unreadable, and are not ours to delete."""
    monkeypatch.setattr(report_files, "KEPT", 1)
    kept = KeptReports(tmp_path)
    kept.add(REPORT)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", refuse)
        kept.add(replace(REPORT, started=REPORT.started + dt.timedelta(days=1)))
    assert len(list(tmp_path.iterdir())) == 2
    with monkeypatch.context() as patched:
        patched.setattr(Path, "read_bytes", refuse)
        assert list(kept.newest_first()) == []


def test_beside_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "locks/local/pylock.stack.report.json"
    assert read_report(path) is None
    write_report(path, REPORT)
    assert read_report(path) == REPORT


def test_digests(tmp_path: Path) -> None:
    there = tmp_path / "libmpi.so"
    there.write_bytes(b"")
    gone = str(tmp_path / "gone.so")
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert digests([str(there), gone]) == {str(there): empty, gone: ""}


def test_a_report_that_is_nested_too_deeply_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text("[" * 100_000)
    with pytest.raises(RequestError) as caught:
        read_report(path)
    assert caught.value.code == "invalid-report"
