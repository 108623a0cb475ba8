"""What ranks tell, of which any part may be missing or of another type."""

from __future__ import annotations


def texts(value: object) -> tuple[str, ...]:
    """Return a list that a rank told as texts; none if it told no list."""
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()
