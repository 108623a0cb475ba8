"""Keep and read what programs printed, which may be more than fits into memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from envlock.edges.files import write_error

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


@contextmanager
def appended(log: Path) -> Iterator[Callable[[str], None]]:
    """Yield what appends a text to a log; each is on its way to the disk at once.

    Raises:
        SurroundingsError: ``disk-full`` or ``not-writable``.
    """
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        sink = log.open("ab", buffering=0)
    except OSError as error:
        raise write_error(log, error) from error

    def append(text: str) -> None:
        left = text.encode("utf-8", "backslashreplace")
        try:
            while left:
                left = left[sink.write(left) :]
        except OSError as error:
            raise write_error(log, error) from error

    with sink:
        yield append
