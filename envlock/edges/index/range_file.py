"""A remote file that is read in parts: enough for ``zipfile`` to read one member of a large wheel."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from envlock.edges.index.http import Part

TAIL = 1 << 16
"""Bytes of the end that are fetched first: most wheels' whole directory, with METADATA before it."""

_AHEAD = 1 << 14
"""Bytes fetched at least, for zipfile reads a member in small pieces."""

Fetch = Callable[[str], Part | None]
"""Fetches a span of bytes as in a Range header; ``None`` where the server serves no parts."""


class NoRangesError(Exception):
    """The server does not serve parts of this file."""


class RangeFile(io.RawIOBase):
    """Reads through range requests, the end of the file first; keeps what it has read.

    Raises:
        NoRangesError: the server serves no parts.
    """

    def __init__(self, fetch: Fetch) -> None:
        super().__init__()
        self._fetch = fetch
        tail = self._part(f"-{TAIL}")
        self._size = tail.total
        self._parts = [tail]
        self._position = 0
        self._reaching = True

    @contextmanager
    def at_hand(self) -> Iterator[None]:
        """Read nothing over the network in here; what has not been read yet is a ``NoRangesError``."""
        self._reaching = False
        try:
            yield
        finally:
            self._reaching = True

    def seekable(self) -> bool:
        """Yes."""
        return True

    def readable(self) -> bool:
        """Yes."""
        return True

    def tell(self) -> int:
        """The position, in bytes."""
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move to a position."""
        origin = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        self._position = max(0, origin + offset)
        return self._position

    def read(self, size: int = -1) -> bytes:
        """Read from the position on, to the end if no size is given."""
        start = self._position
        end = self._size if size < 0 else min(start + size, self._size)
        if start >= end:
            return b""
        content = self._read_span(start, end)
        self._position = start + len(content)
        return content

    def _read_span(self, start: int, end: int) -> bytes:
        for part in self._parts:
            if part.start <= start and end <= part.start + len(part.content):
                return part.content[start - part.start : end - part.start]
        if not self._reaching:
            raise NoRangesError
        stop = min(max(end, start + _AHEAD), self._size)
        part = self._part(f"{start}-{stop - 1}")
        if part.start != start or len(part.content) < end - start:
            raise NoRangesError
        self._parts.append(part)
        return part.content[: end - start]

    def _part(self, span: str) -> Part:
        part = self._fetch(span)
        if part is None:
            raise NoRangesError
        return part
