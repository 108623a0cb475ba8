"""Which C library compiled modules need, by the versions of their symbols; nothing is run.

The structures are those of elf(5) and of "Symbol Versioning" (LSB Core, chapter 10). Only 64-bit
little-endian files are read, which covers every platform that wheels are published for.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from contextlib import suppress

from packaging.utils import InvalidWheelFilename, parse_wheel_filename

from envlock.model.published.code_reads import GLIBC

_MAGIC = b"\x7fELF\x02\x01"
_PT_LOAD, _PT_DYNAMIC = 1, 2
_DT_STRTAB, _DT_VERNEED, _DT_VERNEEDNUM = 5, 0x6FFFFFFE, 0x6FFFFFFF
_WEAK = 2
_VERSION = re.compile(rb"GLIBC_(\d+)\.(\d+)")
_PROMISE = re.compile(r"manylinux(?:(1|2010|2014)|_(\d+)_(\d+))_")
_LEGACY = {"1": (2, 5), "2010": (2, 12), "2014": (2, 17)}

Release = tuple[int, int]


def promised_glibc(filename: str) -> Release:
    """The newest C library that a wheel's tags say it needs; ``(0, 0)`` where they say nothing."""
    with suppress(InvalidWheelFilename):
        found = (_PROMISE.match(tag.platform) for tag in parse_wheel_filename(filename)[3])
        named = [_LEGACY[one[1]] if one[1] else (int(one[2]), int(one[3])) for one in found if one]
        return max(named, default=(0, 0))
    return (0, 0)


def reads_of_c_library(content: bytes, promised: Release) -> tuple[str, ...]:
    """Return a name that stands for the C library that a shared object needs, if it is newer than promised.

    The loader refuses an object that needs a version of symbols which the C library of the node lacks,
    whatever the tags of its wheel say.
    """
    with suppress(struct.error, IndexError, StopIteration):
        if content.startswith(_MAGIC) and (needed := max(_needed(content), default=promised)) > promised:
            return (f"{GLIBC}{needed[0]}_{needed[1]}",)
    return ()


def _needed(content: bytes) -> Iterator[Release]:
    """Yield the releases whose symbols it cannot do without."""
    offset = struct.unpack_from("<Q", content, 32)[0]
    size, count = struct.unpack_from("<HH", content, 54)
    segments = [struct.unpack_from("<IIQQQQ", content, offset + number * size) for number in range(count)]
    loads = [(one[3], one[2], one[5]) for one in segments if one[0] == _PT_LOAD]
    start, length = next((one[2], one[5]) for one in segments if one[0] == _PT_DYNAMIC)
    entries = dict(struct.iter_unpack("<QQ", content[start : start + length // 16 * 16]))
    if _DT_VERNEED not in entries:
        return
    strings, place = (_place(entries[one], loads) for one in (_DT_STRTAB, _DT_VERNEED))
    for _ in range(entries[_DT_VERNEEDNUM]):
        inner, first, following = struct.unpack_from("<2xH4xII", content, place)
        there = place + first
        for _ in range(inner):
            flags, name, behind = struct.unpack_from("<4xH2xII", content, there)
            if not flags & _WEAK and (found := _VERSION.match(content, strings + name)):
                yield int(found[1]), int(found[2])
            there += behind
        place += following


def _place(address: int, loads: list[tuple[int, int, int]]) -> int:
    """Return the offset in the file of an address in memory."""
    return next(address - begin + offset for begin, offset, size in loads if begin <= address < begin + size)
