"""Sizes on disk for people."""

from __future__ import annotations

_THOUSAND = 1000


def size_text(size: int, inodes: int) -> str:
    """Bytes in decimal units, three digits at most before the point, and the number of inodes."""
    number, unit = float(size), "B"
    for larger in ("kB", "MB", "GB", "TB"):
        if number < _THOUSAND:
            break
        number, unit = number / _THOUSAND, larger
    return f"{number:.0f} {unit}, {inodes} inodes"
