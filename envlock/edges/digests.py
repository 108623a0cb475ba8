"""Digests of files that belong to the site, to see whether they are still the same."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path


def digests(paths: Iterable[str]) -> dict[str, str]:
    """Path -> sha256 of the file; empty for one that is not there or cannot be read."""
    return {path: _digest(Path(path)) for path in paths}


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
