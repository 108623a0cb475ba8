"""Read what programs printed, which may be more than fits into memory."""

from __future__ import annotations

import os
from pathlib import Path

_PART = 4 << 20
"""Bytes kept of each end: no compiler needs more to say what is wrong, and none says it in between."""


def both_ends(log: Path, begin: int = 0) -> str:
    """Return a log's text from a byte on; only the beginning and the end if it is long.

    Args:
        log: the file, UTF-8 text.
        begin: the byte to begin at.
    """
    with log.open("rb") as file:
        file.seek(begin)
        head = file.read(_PART)
        here, end = file.tell(), file.seek(0, os.SEEK_END)
        file.seek(max(here, end - _PART))
        tail = file.read()
    between = b"\n...\n" if end - here > _PART else b""
    return b"".join((head, between, tail)).decode("utf-8", "replace")
