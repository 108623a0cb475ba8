"""Reading what programs printed, of which there may be more than memory."""

from __future__ import annotations

import os
from pathlib import Path

_PART = 4 << 20
"""Bytes of each end: no compiler needs more to say what is wrong, and none says it in between."""


def both_ends(log: Path, begin: int = 0) -> str:
    """What a log has from a byte on; of a long one the beginning and the end.

    Args:
        log: the file, of UTF-8 text.
        begin: where to begin.
    """
    with log.open("rb") as file:
        file.seek(begin)
        head = file.read(_PART)
        here, end = file.tell(), file.seek(0, os.SEEK_END)
        file.seek(max(here, end - _PART))
        tail = file.read()
    between = b"\n...\n" if end - here > _PART else b""
    return b"".join((head, between, tail)).decode("utf-8", "replace")
