"""Paths of files that are already on the local disk, from their URLs."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit


def local_path(url: str) -> Path | None:
    """Return the path of a ``file:`` URL; ``None`` for others."""
    return Path(unquote(urlsplit(url).path)) if url.startswith("file:") else None
