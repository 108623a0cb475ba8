"""Sizes on disk for people."""

from __future__ import annotations

from envlock.model.counting import number_of

_TEN, _THOUSAND = 10, 1000


def size_text(size: int, inodes: int) -> str:
    """Format bytes in decimal units with at least two digits, and the number of inodes."""
    return f"{bytes_text(size)}, {number_of(inodes, 'inode')}"


def bytes_text(size: int) -> str:
    """Format bytes in decimal units with at least two digits."""
    number, unit = float(size), "B"
    for larger in ("kB", "MB", "GB", "TB"):
        if number < _THOUSAND:
            break
        number, unit = number / _THOUSAND, larger
    digits = 1 if number < _TEN and unit != "B" else 0
    return f"{number:.{digits}f} {unit}"
