"""Single members of a large wheel, by range requests; cached by its hash, as files never change.

A member begins with a header of its own, whose lengths may differ from those of its entry in the directory
(PKWARE's APPNOTE.TXT, section 4.3.7).
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from typing import IO, NamedTuple, cast

from envlock.edges.archive_damage import damage_raised_as
from envlock.edges.cache import Cache, Form
from envlock.edges.index.http import Http, Part
from envlock.edges.index.kept_files import content_key
from envlock.edges.index.range_file import NoRangesError, RangeFile
from envlock.edges.index.wheel_metadata import broken_file
from envlock.model.published.catalogue import DistFile

_DIRECTORY = "wheel-directory"
_MEMBER = "wheel-member"
_ROWS: Form = [(str, int, int, int)]
_MODULES = (".py", ".so")

_HEADER = struct.Struct("<4s22x2H")
_HEADER_MARK = b"PK\3\4"
_EXTRA = 64
"""Bytes of extra fields after a member's header, which its entry need not mention."""
_GAP = 1 << 15
"""Bytes between members that are fetched rather than skipped."""
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})


class _Row(NamedTuple):
    """A member's place: its name, where its header begins, its packed size and compression method."""

    name: str
    start: int
    packed: int
    method: int

    @property
    def stop(self) -> int:
        """Where it ends, at the latest."""
        return self.start + _HEADER.size + len(self.name.encode()) + _EXTRA + self.packed


AtOnce = Callable[[Callable[[list[_Row]], Part | None], Iterable[list[_Row]]], Iterable[Part | None]]
"""Applies a function to several items, some at a time, as ``map`` does."""


class WheelMembers:
    """The modules in one wheel, Python and compiled.

    Attributes:
        names: their paths.
    """

    def __init__(
        self, rows: Iterable[_Row], file: DistFile, http: Http, cache: Cache, at_once: AtOnce
    ) -> None:
        self._rows = {row.name: row for row in rows}
        self.names = tuple(self._rows)
        self._file = file
        self._http = http
        self._cache = cache
        self._at_once = at_once

    def packed(self, names: Iterable[str]) -> int:
        """Return the number of bytes to transfer for some members."""
        return sum(self._rows[name].packed for name in names)

    def read(self, names: Collection[str]) -> dict[str, bytes]:
        """Return the content of some members; neighbours come in one piece, several pieces at a time.

        Raises:
            SurroundingsError: it cannot be fetched, or is not what the directory promised.
        """
        kept = {name: self._cache.read_as(_MEMBER, self._key(name), bytes) for name in names}
        found = {name: content for name, content in kept.items() if content is not None}
        groups = list(_neighbours([self._rows[name] for name in names if name not in found]))
        for group, part in zip(groups, self._at_once(self._fetched, groups), strict=True):
            for row in group:
                found[row.name] = self._unpacked(row, part)
                self._cache.keep(_MEMBER, self._key(row.name), found[row.name])
        return found

    def _fetched(self, group: list[_Row]) -> Part | None:
        return self._http.get_part(self._file.url, f"{group[0].start}-{max(row.stop for row in group) - 1}")

    def _unpacked(self, row: _Row, part: Part | None) -> bytes:
        if part is None:
            raise broken_file(self._file.filename, "its index serves no more parts of it")
        content = part.content[row.start - part.start :]
        with damage_raised_as(partial(broken_file, self._file.filename)):
            mark, name, extra = _HEADER.unpack_from(content)
            start = _HEADER.size + name + extra
            packed = content[start : start + row.packed]
            if mark != _HEADER_MARK or len(packed) != row.packed:
                raise broken_file(self._file.filename, f"{row.name} is not where it should be")
            return zlib.decompress(packed, -zlib.MAX_WBITS) if row.method == zipfile.ZIP_DEFLATED else packed

    def _key(self, name: str) -> str:
        return f"{content_key(self._file)} {name}"


def wheel_members(file: DistFile, http: Http, cache: Cache, at_once: AtOnce) -> WheelMembers | None:
    """Return the modules in a wheel; ``None`` if its index does not serve ranges.

    Raises:
        SurroundingsError: the wheel cannot be fetched, or is not a whole archive.
    """
    rows: list[tuple[str, int, int, int]] | None = cache.read_as(_DIRECTORY, content_key(file), _ROWS)
    if rows is None:
        try:
            remote = RangeFile(lambda span: http.get_part(file.url, span))
            with damage_raised_as(partial(broken_file, file.filename)):
                rows = list(_rows(cast("IO[bytes]", remote)))
        except NoRangesError:
            return None
        cache.keep(_DIRECTORY, content_key(file), rows)
    return WheelMembers(map(_Row._make, rows), file, http, cache, at_once)


def _rows(opened: IO[bytes]) -> Iterator[tuple[str, int, int, int]]:
    with zipfile.ZipFile(opened) as archive:
        for info in archive.infolist():
            if info.filename.endswith(_MODULES) and info.compress_type in _METHODS:
                yield info.filename, info.header_offset, info.compress_size, info.compress_type


def _neighbours(rows: Iterable[_Row]) -> Iterator[list[_Row]]:
    group: list[_Row] = []
    for row in sorted(rows, key=lambda row: row.start):
        if group and row.start > group[-1].stop + _GAP:
            yield group
            group = []
        group.append(row)
    if group:
        yield group
