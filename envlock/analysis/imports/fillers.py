"""Modules that fill others in from outside, which then have names that their text does not show."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import NamedTuple

from envlock.analysis.imports.modules import Module
from envlock.analysis.syntax_trees import parsed

_LOADS = re.compile(r"sys\.meta_path|\bdef (exec|load)_module\b|\bModuleType\(|\bsetattr\(\s*sys\.modules\b")
"""Found in distributions that fill their modules in from outside (toolz does so with tlz, and a decorator of
Matplotlib's with its backends)."""

_LOADS_FILES = re.compile(r"\b(module_from_spec|exec_module|load_module)\(")
"""Found in distributions that import files, whose content may become modules by other names."""

_OF_LOADERS = ("meta_path", "exec_module", "load_module", "module_from_spec", "ModuleType(", "sys.modules")
"""One of these is in every match of either; searching for them takes a tenth of the time."""

_WORD = re.compile(r"\w+")


class _Filler(NamedTuple):
    """A module that fills others in.

    Attributes:
        name: its dotted name.
        by: its functions and classes that do so, or lead to one that does; ``None`` if unknown.
        words: all words in it.
    """

    name: str
    by: frozenset[str] | None
    words: frozenset[str]


class Fillers:
    """The fillers of one distribution."""

    def __init__(self, modules: Mapping[str, Module]) -> None:
        kept = {
            name: one.source
            for name, one in modules.items()
            if any(word in one.source for word in _OF_LOADERS)
        }
        self._fillers = [
            _Filler(name, _filling(source), frozenset(_WORD.findall(source)))
            for name, source in kept.items()
            if _LOADS.search(source)
        ]
        self.has_more_modules = any(map(_LOADS_FILES.search, kept.values()))

    def may_fill(self, module: str, source: str) -> bool:
        """Whether one may: it names the module, or lies in it, or the module names what it fills in by."""
        last = module.rpartition(".")[2]
        words = frozenset(_WORD.findall(source)) if self._fillers else frozenset[str]()
        return any(
            last in filler.words
            or filler.name.startswith(f"{module}.")
            or filler.by is None
            or not words.isdisjoint(filler.by)
            for filler in self._fillers
        )


def _filling(source: str) -> frozenset[str] | None:
    """Return the functions and classes that fill modules in, and those that name one of these."""
    try:
        tree = parsed(source)
    except (SyntaxError, ValueError):
        return None
    lines = source.split("\n")
    defined = [
        (node.name, "\n".join(lines[node.lineno - 1 : node.end_lineno]))
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    ]
    found = {name for name, text in defined if _LOADS.search(text)}
    before = -1
    while len(found) != before:
        before = len(found)
        found |= {name for name, text in defined if not found.isdisjoint(_WORD.findall(text))}
    return frozenset(name for name in found if not name.startswith("__"))
