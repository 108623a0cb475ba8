"""Digests of files on the local disk, always computed afresh."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path


def digests(paths: Iterable[str]) -> dict[str, str]:
    """Map each path to the sha256 of its file; empty if the file is missing or cannot be read."""
    return {path: file_sha256(Path(path)) for path in paths}


def file_sha256(path: Path) -> str:
    """Return the sha256 of a file in hexadecimal digits; empty if it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
