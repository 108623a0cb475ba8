"""Telling archives that are damaged, or crafted, from disks that fail: readers raise many kinds of errors."""

from __future__ import annotations

import errno
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_DAMAGE: tuple[type[Exception], ...] = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,  # bzip2's and gzip's own, without a number of the system's
    ValueError,  # places before the beginning, names that are no text
    IndexError,  # a name that is empty
    RuntimeError,  # what is encrypted, or compressed in a way that nobody knows (NotImplementedError)
)
"""What ``zipfile`` and ``tarfile`` raise of an archive that is not as it should be."""


class DamagedError(Exception):
    """An archive that is not as it should be."""


@contextmanager
def damage_told_by(
    tell: Callable[[str], Exception] = DamagedError, *, also: tuple[type[Exception], ...] = ()
) -> Iterator[None]:
    """Raise what ``tell`` makes of the damage that shows while an archive is read; a disk's errors pass.

    ``also`` is what a reader other than the standard library's raises.
    """
    try:
        yield
    except (*_DAMAGE, *also) as error:
        # Of a place before the beginning, the system says that the argument is invalid.
        if isinstance(error, OSError) and error.errno not in {None, errno.EINVAL}:
            raise
        raise tell(f"{type(error).__name__}: {error}") from error
