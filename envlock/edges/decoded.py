"""Decoded documents as bytes, for the cache: to decode them again takes many times as long as to load them.

Whoever keeps such bytes keys them by the content of the document and by the ``code`` that decoded it, so that
what is kept is never stale.
"""

from __future__ import annotations

import copyreg
import hashlib
import pickle
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import packaging

import envlock.model
from envlock.model.fact import Fact
from envlock.model.facts import Facts

T = TypeVar("T")


def _unchangeable(table: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(table)


copyreg.pickle(MappingProxyType, lambda table: (_unchangeable, (dict(table),)))


class _Packed(Mapping[str, T]):
    """A table whose values are unpacked when they are asked for."""

    __slots__ = ("_known", "_packed")

    def __init__(self, values: dict[str, bytes]) -> None:
        self._packed = values
        self._known: dict[str, T] = {}

    def __getitem__(self, key: str) -> T:
        if key not in self._known:
            self._known[key] = unpacked(self._packed[key])
        return self._known[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._packed)

    def __len__(self) -> int:
        return len(self._packed)


def _facts(groups: dict[str, bytes], triggers: dict[str, str], added: tuple[Fact, ...]) -> Facts:
    return Facts(_Packed(groups), triggers, added)


def _facts_apart(facts: Facts) -> tuple[Any, ...]:
    groups = {name: packed(some) for name, some in facts.groups.items()}
    return _facts, (groups, dict(facts.triggers), facts.added)


copyreg.pickle(Facts, _facts_apart)


def packed(document: object) -> bytes:
    """A decoded document as bytes."""
    return pickle.dumps(document, pickle.HIGHEST_PROTOCOL)


def unpacked(content: bytes | memoryview) -> Any:
    """The document of bytes that a cache kept, whose checksum says that they are ours."""
    return pickle.loads(content)  # noqa: S301 - see above


@cache
def code() -> str:
    """Names the state of the modules that decode, and of the library that reads versions for them."""
    folder = Path(envlock.model.__file__).parent
    states = [(path.name, path.stat()) for path in sorted(folder.glob("*.py"))]
    text = " ".join(f"{name} {state.st_size} {state.st_mtime_ns}" for name, state in states)
    return hashlib.sha256(f"{packaging.__version__} {text}".encode()).hexdigest()
