"""Decoded documents as bytes, for the cache: to decode them again takes many times as long as to load them.

Whoever keeps such bytes keys them by the content of the document and by the ``code`` that decoded it, so that
what is kept is never stale.
"""

from __future__ import annotations

import copyreg
import hashlib
import pickle
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import packaging

import envlock.model


def _unchangeable(table: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(table)


copyreg.pickle(MappingProxyType, lambda table: (_unchangeable, (dict(table),)))


def packed(document: object) -> bytes:
    """A decoded document as bytes."""
    return pickle.dumps(document, pickle.HIGHEST_PROTOCOL)


def unpacked(content: bytes) -> Any:
    """The document of bytes that a cache kept, whose checksum says that they are ours."""
    return pickle.loads(content)  # noqa: S301 - see above


@cache
def code() -> str:
    """Names the state of the modules that decode, and of the library that reads versions for them."""
    folder = Path(envlock.model.__file__).parent
    states = [(path.name, path.stat()) for path in sorted(folder.glob("*.py"))]
    text = " ".join(f"{name} {state.st_size} {state.st_mtime_ns}" for name, state in states)
    return hashlib.sha256(f"{packaging.__version__} {text}".encode()).hexdigest()
