"""A remote file read in parts: enough for ``zipfile`` to read one member of a large wheel."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from envlock.edges.index.http import Part
from envlock.model.errors import SurroundingsError
from envlock.model.published.catalogue import BROKEN_FILE

T = TypeVar("T")

TAIL = 1 << 16
"""Bytes at the end that are fetched first: most wheels' whole directory, with METADATA before it."""

_AHEAD = 1 << 14
"""Fewest bytes to fetch, because zipfile reads a member in small pieces."""

Fetch = Callable[[str], Part | None]
"""Fetches a span of bytes, given as in a Range header; ``None`` if the server does not serve ranges."""


class NoRangesError(Exception):
    """The server does not serve ranges of this file."""


def by_ranges(read: Callable[[], T]) -> T | None:
    """Return what is read by range requests; ``None`` where the whole file has to be fetched instead.

    That is so without range requests, and for a broken file, whose hash tells if it was published like that.
    """
    try:
        return read()
    except NoRangesError:
        return None
    except SurroundingsError as error:
        if error.code != BROKEN_FILE:
            raise
        return None


class RangeFile(io.RawIOBase):
    """Reads through range requests, the end of the file first; keeps what it has read.

    Raises:
        NoRangesError: the server does not serve ranges.
    """

    def __init__(self, fetch: Fetch, tail_bytes: int = TAIL) -> None:
        super().__init__()
        self._fetch = fetch
        tail = self._part(f"-{tail_bytes}")
        self._size = tail.total
        self._parts = [tail]
        self._position = 0
        self._reaching = True

    @contextmanager
    def at_hand(self) -> Iterator[None]:
        """Allow no network within this block; reading what is missing raises ``NoRangesError``."""
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
        """Return the position in bytes."""
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move to a position."""
        origin = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        self._position = max(0, origin + offset)
        return self._position

    def read(self, size: int = -1) -> bytes:
        """Read from the position, to the end if no size is given."""
        start = self._position
        end = self._size if size < 0 else min(start + size, self._size)
        if start >= end:
            return b""
        content = self.span(start, end)
        self._position = start + len(content)
        return content

    @property
    def size(self) -> int:
        """The size of the whole file in bytes."""
        return self._size

    @property
    def first(self) -> int:
        """The position of the first byte that was fetched."""
        return min(part.start for part in self._parts)

    def holds(self, place: int) -> bool:
        """Whether the byte at a position was fetched, and with it the rest of that part."""
        return any(part.start <= place < part.start + len(part.content) for part in self._parts)

    def span(self, start: int, end: int) -> bytes:
        """Return the bytes from ``start`` up to ``end``, fetching those that are missing."""
        pieces: list[bytes] = []
        while start < end:
            part = next(
                (held for held in self._parts if held.start <= start < held.start + len(held.content)), None
            ) or self._missing(start, end)
            pieces.append(part.content[start - part.start : end - part.start])
            start += len(pieces[-1])
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def end_with(self, start: int, content: bytes) -> None:
        """Replace everything from ``start`` to the end of the file by these bytes."""
        self._size = start + len(content)
        before = [
            Part(start=part.start, total=self._size, content=part.content[: start - part.start])
            for part in self._parts
            if part.start < start
        ]
        self._parts = [*before, Part(start=start, total=self._size, content=content)]

    def _missing(self, start: int, end: int) -> Part:
        """Fetch missing bytes, up to the next part that is there."""
        if not self._reaching:
            raise NoRangesError
        following = min((held.start for held in self._parts if held.start > start), default=self._size)
        stop = min(max(end, start + _AHEAD), following)
        part = self._part(f"{start}-{stop - 1}")
        if part.start != start or len(part.content) < min(end, stop) - start:
            raise NoRangesError
        self._parts.append(part)
        return part

    def _part(self, span: str) -> Part:
        part = self._fetch(span)
        if part is None:
            raise NoRangesError
        return part
