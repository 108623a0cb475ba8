"""Queries on the code of releases, with the files to read for them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple, Protocol

from envlock.model.published.catalogue import Catalogue, DistFile

LARGEST = 32 << 20
"""Size in bytes of the largest file that is fetched as a whole to analyse its code."""


class Members(Protocol):
    """The modules in a large file, by path."""

    @property
    def names(self) -> Collection[str]:
        """Their paths."""
        ...

    def packed(self, names: Iterable[str]) -> int:
        """Return the number of bytes to transfer for some members."""
        ...

    def read(self, names: Collection[str]) -> Mapping[str, bytes]:
        """Return the content of some members."""
        ...


class ReleaseFiles(Catalogue, Protocol):
    """A catalogue that also has the files."""

    def local_file(self, file: DistFile) -> Path:
        """Return the file on the local disk."""
        ...

    def members(self, file: DistFile) -> Members | None:
        """Return a wheel's modules, readable one by one; ``None`` if that is not possible."""
        ...


OpenedFiles = Callable[[], AbstractContextManager[ReleaseFiles]]
"""Opens the package indexes for as long as files are requested."""


class CodeQuery(NamedTuple):
    """A release whose code is analysed.

    Attributes:
        component: its component.
        name: its name on an index.
        version: its version.
        key: its key in the cache.
        file: its file, if it is a certain one.
        only_setup: whether only the ``setup.py`` of its sdist counts.
        postponed: whether annotations do not count.
        parts: the names by which its modules are imported; empty for the distribution itself.
    """

    component: str
    name: str
    version: str
    key: str
    file: DistFile | None = None
    only_setup: bool = False
    postponed: bool = False
    parts: tuple[str, ...] = ()


class PairQuery(NamedTuple):
    """A component whose code is compared with another's, and the answer's key in the cache.

    Attributes:
        reader: the component whose code is analysed.
        holder: the one that may have what that reads or calls.
        key: the key in the cache.
    """

    reader: str
    holder: str
    key: str
