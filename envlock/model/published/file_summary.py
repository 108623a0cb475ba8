"""The size and the licence of a distribution's file."""

from __future__ import annotations

from envlock.model.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSummary:
    """A distribution's file seen from outside.

    Attributes:
        download: its size in bytes; 0 where nothing gives it.
        installed: the total size in bytes of what it installs; 0 for an sdist.
        files: how many files it installs; 0 for an sdist.
        licence: its licence from the metadata: an SPDX expression, or in words; empty where none is given.
    """

    download: int
    installed: int
    files: int
    licence: str
