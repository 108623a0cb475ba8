"""What compiled modules need, by their strings and the versions of their symbols; nothing is run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from itertools import chain, islice
from typing import TYPE_CHECKING, cast

from packaging.utils import InvalidWheelFilename, parse_wheel_filename

from envlock.model.published.code_reads import GLIBC

if TYPE_CHECKING:
    from elftools.elf.elffile import ELFFile
    from elftools.elf.gnuversions import GNUVerNeedSection

NUMPY_1 = "numpy.C_API_1"
"""Stands for the C API of NumPy 1, as if it were a name that is read."""

PYBIND11_OF_NUMPY_1 = "numpy.pybind11_before_2_12"
"""Stands for arrays made with pybind11 from before 2.12, likewise."""

_MAKES_ARRAYS = (
    b"__pybind11_internals_v",
    b"NumPy: shape ndim doesn't match strides ndim\0",
    b"numpy.core.multiarray\0",
)
"""Found in every module that makes arrays with such a pybind11; later ones assemble the last name."""

_INITIALISES = b"module compiled against ABI version"
"""The message of ``import_array`` in NumPy's headers for another NumPy; absent if that is never called."""

_ELDER = (b"numpy.core._multiarray_umath\0", b"numpy.core.multiarray\0")
_SINCE_2 = b"numpy._core._multiarray_umath\0"

_WEAK = 2
"""``VER_FLG_WEAK`` of "Symbol Versioning" (LSB Core, chapter 10)."""

_MOST = 4096
"""Libraries, and versions of symbols, of which one object is believed to need so many."""

_VERSION = re.compile(r"GLIBC_(\d+)\.(\d+)")
_PROMISE = re.compile(r"manylinux(?:(1|2010|2014)|_(\d+)_(\d+))_")
_LEGACY = {"1": (2, 5), "2010": (2, 12), "2014": (2, 17)}

Release = tuple[int, int]


def reads_of_compiled(content: bytes) -> tuple[str, ...]:
    """Return names that stand for what a shared object reads as a module, as far as its strings tell.

    A module compiled with NumPy 1's headers looks for NumPy's own module only below ``numpy.core``, one
    compiled with NumPy 2's also below ``numpy._core``; and NumPy 2 accepts only the latter
    (https://numpy.org/doc/stable/release/2.0.0-notes.html, changes of the binary interface).

    pybind11 does without those headers and has its own description of types. Before 2.12 it is that of NumPy
    1, in which NumPy 2's items have no size, so that all items of an array are put in one place.
    """
    return (*_with_headers(content), *_with_pybind11(content))


def _with_headers(content: bytes) -> tuple[str, ...]:
    calls = _INITIALISES in content and any(name in content for name in _ELDER)
    return (NUMPY_1,) if calls and _SINCE_2 not in content else ()


def _with_pybind11(content: bytes) -> tuple[str, ...]:
    return (PYBIND11_OF_NUMPY_1,) if all(sign in content for sign in _MAKES_ARRAYS) else ()


def promised_glibc(filename: str) -> Release:
    """The newest C library that a wheel's tags say it needs; ``(0, 0)`` where they say nothing."""
    with suppress(InvalidWheelFilename):
        found = (_PROMISE.match(tag.platform) for tag in parse_wheel_filename(filename)[3])
        named = [
            _LEGACY[match[1]] if match[1] else (int(match[2]), int(match[3])) for match in found if match
        ]
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
    """Yield the releases whose symbols it cannot do without; a damaged file may count billions."""
    for section in file.iter_sections():
        if section["sh_type"] == "SHT_GNU_verneed":
            libraries = islice(cast("GNUVerNeedSection", section).iter_versions(), _MOST)
            for version in islice(chain.from_iterable(versions for _, versions in libraries), _MOST):
                if not version["vna_flags"] & _WEAK and (found := _VERSION.match(version.name)):
                    yield int(found[1]), int(found[2])
