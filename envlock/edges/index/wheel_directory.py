"""The end of a remote wheel, cut down to what describes it: the entries of METADATA and RECORD.

A zip file ends with a directory of its members. ``zipfile`` creates an object for each of the 15,000 in a
large wheel, of which two are wanted; here the others are skipped, and the bytes of the two are fetched in one
piece. The layout is that of PKWARE's APPNOTE.TXT, sections 4.3.12 and 4.3.16.
"""

from __future__ import annotations

import re
import struct
from typing import NamedTuple

from envlock.edges.index.range_file import RangeFile

_METADATA = b"METADATA"
_WANTED = rb"\.dist-info/(METADATA|RECORD)"

_END = struct.Struct("<4s4H2LH")
_END_MARK = b"PK\5\6"
_ENTRY = struct.Struct("<20xL4x3H8xL")
"""Fields of an entry: the member's packed size, the lengths of name, extra fields and comment that follow the
entry, and where the member begins."""
_ENTRY_MARK = b"PK\1\2"
_LOCAL_HEADER = 30
_LOCAL_EXTRA = 64
"""Bytes of extra fields before a member, which its entry need not mention; if there are more, the rest of the
member is fetched when it is read."""
_ELSEWHERE = 0xFFFFFFFF
"""Marks a number that is stored in a ZIP64 record."""

_BEFORE = 1 << 15
"""Bytes fetched before a directory that was not at hand, besides half of its size: dist-info mostly lies
there, and its RECORD has a line for each entry."""
_GAP = 1 << 16
"""Bytes between members that are fetched rather than skipped."""


class _Directory(NamedTuple):
    """The wanted entries, and where their members begin and (at the latest) end; METADATA's first."""

    start: int
    entries: list[bytes]
    members: list[tuple[int, int]]


def read_directory(remote: RangeFile) -> None:
    """Fetch what describes a wheel, and reduce the file's directory to that.

    A file that does not end like a plain zip file is left as it is, for ``zipfile`` to judge.

    Raises:
        NoRangesError: the server does not serve ranges.
    """
    directory = _read(remote)
    if directory is None:
        return
    if directory.members:
        start, end = directory.members[0]
        for begin, stop in directory.members[1:]:
            if begin <= end + _GAP and stop >= start - _GAP:
                start, end = min(start, begin), max(end, stop)
        remote.span(start, min(end, directory.start))
    kept = b"".join(directory.entries)
    count = len(directory.entries)
    ending = _END.pack(_END_MARK, 0, 0, count, count, len(kept), directory.start, 0)
    remote.end_with(directory.start, kept + ending)


def _read(remote: RangeFile) -> _Directory | None:
    """Return the wanted part of the directory; ``None`` if the file is not a plain zip file."""
    end = remote.size - _END.size
    if end < 0:
        return None
    mark, *disks, here, count, size, start, comment = _END.unpack(remote.span(end, remote.size))
    if mark != _END_MARK or any(disks) or here != count or comment or start + size != end:
        return None
    if not remote.holds(start):
        remote.span(max(0, start - size // 2 - _BEFORE), end)
    content = remote.span(start, end)
    if content.count(_ENTRY_MARK) != count:
        return None
    found = _Directory(start, [], [])
    for match in re.finditer(_WANTED, content):
        entry = content.rfind(_ENTRY_MARK, 0, match.start())
        if entry < 0 or entry + _ENTRY.size > match.start():
            continue
        packed, name, extra, comment, member = _ENTRY.unpack_from(content, entry)
        begin = entry + _ENTRY.size
        if begin + name != match.end() or b"/" in content[begin : match.start()]:
            continue
        found.entries.append(content[entry : match.end() + extra + comment])
        if _ELSEWHERE not in (packed, member):
            stop = member + _LOCAL_HEADER + name + _LOCAL_EXTRA + packed
            first = match[1] == _METADATA
            found.members.insert(0 if first else len(found.members), (member, stop))
    return found
