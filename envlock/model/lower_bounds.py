"""Where version specifiers begin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from packaging.specifiers import Specifier

from envlock.model.component import is_version, parse_version

_FIRST = frozenset({">=", "==", "===", "~="})
"""Operators whose version is the first that they admit, ``==1.2.*`` taken as 1.2."""


def lower_bounds(specifiers: Iterable[Specifier]) -> Iterator[str]:
    """Yield the first version that each specifier admits, of those that have one.

    ``===`` also takes texts that are no version (``latest``), which begin nothing.
    """
    for specifier in specifiers:
        if specifier.operator in _FIRST and is_version(text := specifier.version.removesuffix(".*")):
            yield text


def first_version(specifiers: Iterable[Specifier]) -> str:
    """Return the first version that specifiers may admit together; empty where none of them has one."""
    return max(lower_bounds(specifiers), key=parse_version, default="")
