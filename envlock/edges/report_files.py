"""Reports of verifications on disk: one lies beside the lock that it speaks of, the last ones are kept."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path

from envlock.edges.files import read_bytes, read_text, write_bytes
from envlock.model.errors import RequestError
from envlock.model.frozen import dataclass
from envlock.model.proving.report import Report, decode_report, encode_report

KEPT = 50
"""So many of each group and target are kept."""


def write_report(path: Path, report: Report) -> None:
    """Write a report in one step.

    Raises:
        SurroundingsError: the disk is full or not writable; the old report is as it was.
    """
    write_bytes(path, report_bytes(report))


def report_bytes(report: Report) -> bytes:
    """The exact content of a report's file; waivers may name its sha256."""
    return (json.dumps(encode_report(report), indent=1) + "\n").encode()


def read_report(path: Path) -> Report | None:
    """Read a report; ``None`` where there is none.

    Raises:
        RequestError: it cannot be read, is no JSON or no report.
    """
    if not path.is_file():
        return None
    return _decoded(read_text(path), path)


def _decoded(text: str, path: Path) -> Report:
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise _damaged("the report is not JSON", f"{path}, line {error.lineno}", error.msg) from None
    if not isinstance(document, dict):
        raise _damaged("the report is no table", str(path))
    try:
        return decode_report(document, file=str(path))
    except RequestError as error:
        raise _damaged(error.message, error.where, error.why) from None


def _damaged(message: str, where: str, why: str = "") -> RequestError:
    """Nobody mends a report by hand, so all that is wrong with one is told with the same advice."""
    hint = "envlock verify, which writes a new report"
    return RequestError("invalid-report", message, where=where, why=why, hint=hint)


@dataclass(frozen=True, slots=True)
class KeptReports:
    """The last reports of one group on one target, in a folder that need not be there yet."""

    folder: Path

    def add(self, report: Report) -> None:
        """Keep a report, and forget those beyond the last ``KEPT``.

        Raises:
            SurroundingsError: the disk is full or not writable.
        """
        path = self.folder / f"{report.started:%Y%m%dT%H%M%S.%fZ}.json.gz"
        write_bytes(path, gzip.compress(report_bytes(report), mtime=0))
        for old in self._paths()[KEPT:]:
            old.unlink(missing_ok=True)

    def newest_first(self) -> Iterator[Report]:
        """Every report that can be read; one of another form of envlock is passed over."""
        for path in self._paths():
            try:
                yield _decoded(gzip.decompress(read_bytes(path)).decode(), path)
            except (RequestError, OSError, EOFError, UnicodeDecodeError, zlib.error):
                continue

    def _paths(self) -> list[Path]:
        return sorted(self.folder.glob("*.json.gz"), reverse=True)
