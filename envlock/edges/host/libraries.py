"""Libraries of the system that wheels load by name, or builds link, and do not bring."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from envlock.model.target import Offer

_LOADER = Path("/etc/ld.so.cache")
_LOADED = {
    "libavformat": r"libavformat\.so\.\d+",
    "libigraph": r"libigraph\.so\.0",  # the interface of igraph 0.7
    "libsndfile": r"libsndfile\.so\.1",
    "libspatialindex": r"libspatialindex_c\.so\.\d+",
}
"""Component -> the names that the loader may look for, as a pattern."""


def find_libraries(environ: Mapping[str, str], loader: Path = _LOADER) -> tuple[Offer, ...]:
    """The libraries that the loader finds, in the order of its search.

    Args:
        environ: whose ``LD_LIBRARY_PATH`` counts.
        loader: its list of libraries.
    """
    try:
        listed = loader.read_bytes()
    except OSError:
        listed = b""
    places = [Path(folder) for folder in environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if folder]
    return tuple(
        Offer(component=component, version=_version(path), note=str(path))
        for component, pattern in _LOADED.items()
        if (path := next(_found(pattern, places, listed), None))
    )


def _found(pattern: str, places: list[Path], listed: bytes) -> Iterator[Path]:
    named = (path for place in places for path in sorted(place.glob("*.so.*")))
    yield from (path for path in named if re.fullmatch(pattern, path.name))
    for match in re.finditer(rb"/[^\0]*/" + pattern.encode() + rb"(?=\0)", listed):
        path = Path(os.fsdecode(match[0]))
        if path.exists():
            yield path


def _version(path: Path) -> str:
    """What the file behind the name adds to it: ``libsndfile.so.1`` leads to ``libsndfile.so.1.0.35``."""
    return path.resolve().name.partition(".so.")[2] or path.name.partition(".so.")[2]
