"""Verification reports on disk: the latest lies beside its lock, and the last ones are kept."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from envlock.edges.files import read_bytes, read_text, write_bytes
from envlock.model.errors import RequestError, SurroundingsError
from envlock.model.frozen import dataclass
from envlock.model.proving.report import Report, decode_report, encode_report

KEPT = 50
"""How many are kept for each group and target."""


def write_report(path: Path, report: Report) -> None:
    """Write a report in one step.

    Raises:
        SurroundingsError: the disk is full or not writable; the old report is unchanged.
    """
    write_bytes(path, report_bytes(report))


def report_bytes(report: Report) -> bytes:
    """Return the exact content of a report's file; waivers may name its sha256."""
    return (json.dumps(encode_report(report), indent=1) + "\n").encode()


def read_report(path: Path) -> Report | None:
    """Read a report; ``None`` if there is none.

    Raises:
        RequestError: it cannot be read, or is no JSON or no report.
    """
    if not path.is_file():
        return None
    return _decoded(read_text(path), path)


def _decoded(text: str, path: Path) -> Report:
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise _damaged("the report is not JSON", f"{path}, line {error.lineno}", error.msg) from None
    except RecursionError:
        raise _damaged("the report is not JSON", str(path), "it is nested too deeply") from None
    if not isinstance(document, dict):
        raise _damaged("the report is not a table", str(path))
    try:
        return decode_report(document, file=str(path))
    except RequestError as error:
        raise _damaged(error.message, error.where, error.why) from None


def _damaged(message: str, where: str, why: str = "") -> RequestError:
    """Return the error for a damaged report; nobody repairs one by hand, so the advice is always the same."""
    hint = "envlock verify, which writes a new report"
    return RequestError("invalid-report", message, where=where, why=why, hint=hint)


@dataclass(frozen=True, slots=True)
class KeptReports:
    """The last reports of one group on one target, in a folder that need not exist yet."""

    folder: Path

    def add(self, report: Report) -> None:
        """Keep a report, and delete all but the last ``KEPT``; those of others may not be ours to delete.

        Raises:
            SurroundingsError: the disk is full or not writable.
        """
        path = self.folder / f"{report.started:%Y%m%dT%H%M%S.%fZ}.json.gz"
        write_bytes(path, gzip.compress(report_bytes(report), mtime=0))
        for old in self._paths()[KEPT:]:
            with suppress(PermissionError):
                old.unlink(missing_ok=True)

    def newest_first(self) -> Iterator[Report]:
        """Yield every readable report; those of others, or in a format of another envlock, may not be."""
        for path in self._paths():
            try:
                yield _decoded(gzip.decompress(read_bytes(path)).decode(), path)
            except (RequestError, SurroundingsError, OSError, EOFError, ValueError, zlib.error):
                continue

    def _paths(self) -> list[Path]:
        return sorted(self.folder.glob("*.json.gz"), reverse=True)
