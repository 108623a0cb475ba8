"""Copies of six inside other packages, from before it told newer Pythons where ``six.moves`` is."""

from __future__ import annotations

from collections.abc import Mapping

from envlock.analysis.imports.modules import Module
from envlock.analysis.imports.running import AS_MODULE

FIND_MODULE = "importlib.abc.MetaPathFinder.find_module"
"""What six before 1.16 alone has modules found by; Python 3.12 no longer asks it."""

_FINDER = "_SixMetaPathImporter"
_MOVES = ".moves."


def read_by_find_module(reads: Mapping[str, int], modules: Mapping[str, Module]) -> dict[str, int]:
    """Return that method with the line where a module first imports what such a copy brings as a module.

    As an attribute (``six.moves.range``) it is there on every Python.

    Args:
        reads: the dotted names that a module reads, with their lines.
        modules: all modules of the distribution.
    """
    for name, line in reads.items():
        is_moved = name.endswith(AS_MODULE) and _MOVES in name
        copy = modules.get(name.partition(_MOVES)[0]) if is_moved else None
        if copy is not None and _FINDER in copy.source and "find_spec" not in copy.source:
            return {FIND_MODULE: line}
    return {}
