"""Which C library compiled modules need, by the versions of their symbols; nothing is run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from typing import TYPE_CHECKING, cast

from packaging.utils import InvalidWheelFilename, parse_wheel_filename

from envlock.model.published.code_reads import GLIBC

if TYPE_CHECKING:
    from elftools.elf.elffile import ELFFile
    from elftools.elf.gnuversions import GNUVerNeedSection

_WEAK = 2
"""``VER_FLG_WEAK`` of "Symbol Versioning" (LSB Core, chapter 10)."""

_VERSION = re.compile(r"GLIBC_(\d+)\.(\d+)")
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
    from elftools.common.exceptions import ELFError  # noqa: PLC0415 - imported only where a wheel is read
    from elftools.elf.elffile import ELFFile  # noqa: PLC0415

    with suppress(ELFError, OverflowError):  # the latter for offsets that no file reaches
        if (needed := max(_needed(ELFFile(BytesIO(content))), default=promised)) > promised:
            return (f"{GLIBC}{needed[0]}_{needed[1]}",)
    return ()


def _needed(file: ELFFile) -> Iterator[Release]:
    """Yield the releases whose symbols it cannot do without."""
    for section in file.iter_sections():
        if section["sh_type"] == "SHT_GNU_verneed":
            for _library, versions in cast("GNUVerNeedSection", section).iter_versions():
                for version in versions:
                    if not version["vna_flags"] & _WEAK and (found := _VERSION.match(version.name)):
                        yield int(found[1]), int(found[2])
