"""What a distribution's file weighs and under which licence it comes."""

from __future__ import annotations

from envlock.model.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSummary:
    """A distribution's file from outside.

    Attributes:
        download: its length in bytes; 0 where nobody tells.
        installed: the lengths of what it installs in bytes; 0 for an sdist.
        files: how many files it installs; 0 for an sdist.
        licence: its licence, as its metadata says: an SPDX expression, or in words; empty where it says none.
    """

    download: int
    installed: int
    files: int
    licence: str
