"""Digests of files on the local disk, read now."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path


def digests(paths: Iterable[str]) -> dict[str, str]:
    """Path -> sha256 of the file; empty for one that is not there or cannot be read."""
    return {path: file_sha256(Path(path)) for path in paths}


def file_sha256(path: Path) -> str:
    """The sha256 of a file in hexadecimal digits; empty where it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
