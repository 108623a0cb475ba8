"""Reports of verifications on disk: each lies beside the lock that it speaks of."""

from __future__ import annotations

import json
from pathlib import Path

from envlock.edges.files import read_text
from envlock.model.errors import RequestError
from envlock.model.report import Report, decode_report


def read_report(path: Path) -> Report | None:
    """Read a report; ``None`` where there is none.

    Raises:
        RequestError: it cannot be read, is no JSON or no report.
    """
    if not path.is_file():
        return None
    try:
        document = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise RequestError(
            "invalid-report",
            "the report is not JSON",
            where=f"{path}, line {error.lineno}",
            why=error.msg,
            hint="verify again",
        ) from None
    if not isinstance(document, dict):
        raise RequestError("invalid-report", "the report is no table", where=str(path), hint="verify again")
    return decode_report(document, file=str(path))
