"""Tell damaged or crafted archives from failing disks: readers raise many kinds of errors."""

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
    OSError,  # raised by bzip2 and gzip themselves, without an errno
    ValueError,  # offsets before the beginning, names that are no text
    IndexError,  # an empty name
    RuntimeError,  # encrypted members, or an unknown compression (NotImplementedError)
)
"""What ``zipfile`` and ``tarfile`` raise for a damaged archive."""

_BY_CONTENT = frozenset({None, errno.EINVAL, errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG})
"""What the system reports of offsets before the beginning, and of names that no folder can have together."""


class DamagedError(Exception):
    """An archive is damaged."""


@contextmanager
def damage_raised_as(
    tell: Callable[[str], Exception] = DamagedError, *, also: tuple[type[Exception], ...] = ()
) -> Iterator[None]:
    """Turn damage found while reading an archive into the error that ``tell`` makes; let disk errors pass.

    ``also`` lists what a reader outside the standard library raises.
    """
    try:
        yield
    except (*_DAMAGE, *also) as error:
        if isinstance(error, OSError) and error.errno not in _BY_CONTENT:
            raise
        raise tell(f"{type(error).__name__}: {error}") from error
