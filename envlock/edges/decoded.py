"""Decoded documents as bytes, for the cache: decoding takes many times as long as loading them.

Callers key such bytes by the content of the document and by the ``code`` that decoded it, so that they are
never stale. They are pickles that can create documents and nothing else, because others may be able to write
to a cache.
"""

from __future__ import annotations

import copyreg
import hashlib
import io
import pickle
from collections.abc import Iterator, Mapping
from enum import Enum, EnumType
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import packaging

import envlock.model
from envlock.model.knowing.by_component import ByComponent
from envlock.model.knowing.facts import Facts

T = TypeVar("T")

_DOCUMENTS = f"{envlock.model.__name__}."
"""The prefix of the modules that define the parts of documents."""
_OTHERS = frozenset(
    {("packaging.tags", "Tag")}
    | {("datetime", name) for name in ("date", "datetime", "timedelta", "timezone")}
)
"""Parts that are defined elsewhere."""

_parts: dict[tuple[str, str], Any] = {}
"""Parts already looked up by module and name, because each fact names a dozen."""


def _unchangeable(table: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(table)


copyreg.pickle(MappingProxyType, lambda table: (_unchangeable, (dict(table),)))


class _Packed(Mapping[str, T]):
    """A table whose values are unpacked on first access."""

    __slots__ = ("_known", "_packed")

    def __init__(self, values: dict[str, bytes]) -> None:
        self._packed = values
        self._known: dict[str, T] = {}

    def __getitem__(self, key: str) -> T:
        if key not in self._known:
            self._known[key] = _loaded(self._packed[key])
        return self._known[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._packed)

    def __len__(self) -> int:
        return len(self._packed)


def _by_component(groups: dict[str, bytes]) -> ByComponent[Any]:
    return ByComponent(_Packed(groups))


copyreg.pickle(
    ByComponent, lambda groups: (_by_component, ({name: packed(groups[name]) for name in groups},))
)
copyreg.pickle(Facts, lambda facts: (Facts, (facts.groups, dict(facts.triggers), facts.added)))


class _Unpickler(pickle.Unpickler):
    """An unpickler that creates parts of documents and calls nothing else."""

    def find_class(self, module: str, name: str, /) -> Any:
        """Return what a pickle names.

        Raises:
            UnpicklingError: it is no part of a document.
        """
        if (module, name) not in _parts:
            _parts[module, name] = _member if name == "getattr" else self._part(module, name)
        return _parts[module, name]

    def _part(self, module: str, name: str) -> Any:
        ours = module.startswith(_DOCUMENTS) or module == __name__
        if not (ours or (module, name) in _OTHERS) or "." in name:
            raise pickle.UnpicklingError(f"{module}.{name} is not a part of a document")
        found = super().find_class(module, name)
        if found.__module__ != module:
            raise pickle.UnpicklingError(f"{name} is not defined in {module}")
        return found


def _member(enumeration: object, name: str) -> Enum:
    """Return a member of an enumeration, which CPython up to 3.11.3 pickles as the attribute of that name."""
    members: Mapping[str, Enum] = enumeration.__members__ if isinstance(enumeration, EnumType) else {}
    if name not in members:
        raise pickle.UnpicklingError(f"{name} of {enumeration!r} is not a part of a document")
    return members[name]


def packed(document: object) -> bytes:
    """Return a decoded document as bytes."""
    return pickle.dumps(document, pickle.HIGHEST_PROTOCOL)


def unpacked(content: bytes | memoryview) -> Any | None:
    """Return the document in bytes from a cache; ``None`` if they would create anything else."""
    try:
        return _loaded(content)
    except pickle.UnpicklingError:
        return None


def _loaded(content: bytes | memoryview) -> Any:
    return _Unpickler(io.BytesIO(content)).load()


@cache
def code() -> str:
    """Identify the state of the modules that decode, and the version of the library that parses versions."""
    folder = Path(envlock.model.__file__).parent
    states = [(path.relative_to(folder), path.stat()) for path in sorted(folder.rglob("*.py"))]
    text = " ".join(f"{name} {state.st_size} {state.st_mtime_ns}" for name, state in states)
    return hashlib.sha256(f"{packaging.__version__} {text}".encode()).hexdigest()
