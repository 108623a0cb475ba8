"""Files that are on the local disk already, by their URLs."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit


def local_path(url: str) -> Path | None:
    """The path of a ``file:`` URL; ``None`` for others."""
    return Path(unquote(urlsplit(url).path)) if url.startswith("file:") else None
