"""Where a distribution's modules define a name: one plain definition, or no answer."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from typing import NamedTuple

from envlock.analysis.functions.asking import Function
from envlock.analysis.functions.scopes import Scope, Surety
from envlock.analysis.imports.modules import Module
from envlock.analysis.syntax_trees import UNREADABLE

_STARRED = re.compile(r"\bimport\s*\(?\s*\*")
"""Matches star imports, in plain text also."""

_DEEPEST = 12
"""Most modules through which a re-exported name is followed."""

_SURE = {Surety.PLAIN, Surety.TYPED}


class Definition(NamedTuple):
    """A class or a function, its module, and the rest of the dotted name, which is inside it."""

    module: str
    node: ast.ClassDef | Function
    inside: str


class Definitions:
    """The definitions in one distribution's modules; each module is parsed once."""

    def __init__(self, modules: Mapping[str, Module]) -> None:
        self._modules = modules
        self._scopes: dict[str, Scope | None] = {}

    def of(self, dotted: str) -> Definition | None:
        """Return the only definition that a dotted name stands for, through any re-exports."""
        return self._of(dotted, _DEEPEST)

    def bound_in(self, module: str, name: str) -> Definition | None:
        """Return the only definition that a name in a module stands for.

        A package may bind the name of a module in it to what it takes from there, which ``of`` cannot tell.
        """
        return self._inside(module, name, "", _DEEPEST)

    def target(self, module: str, node: ast.expr) -> str:
        """Return the dotted name that an attribute chain in a module stands for; empty if uncertain."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.insert(0, node.attr)
            node = node.value
        scope = self.scope(module)
        if scope is None or not isinstance(node, ast.Name):
            return ""
        bound = scope.bound(node.id)
        if len(bound) != 1 or bound[0].surety not in _SURE:
            return ""
        return ".".join([bound[0].target or f"{module}.{node.id}", *parts])

    def names(self, module: str) -> Iterable[str]:
        """Return the names that a module binds, with those of its star imports."""
        scope = self.scope(module)
        taken = [] if scope is None else [self.scope(starred) for starred in scope.starred]
        return dict.fromkeys(
            name for holder in (scope, *taken) if holder is not None for name in holder.names()
        )

    def source(self, module: str) -> str:
        """Return the text of a module."""
        return self._modules[module].source

    def _of(self, dotted: str, left: int) -> Definition | None:
        module = dotted
        while module and module not in self._modules:
            module = module.rpartition(".")[0]
        word, _, inside = dotted[len(module) + 1 :].partition(".")
        return self._inside(module, word, inside, left)

    def _inside(self, module: str, word: str, inside: str, left: int) -> Definition | None:
        scope = self.scope(module) if word and left else None
        if scope is None:
            return None
        bound = [binding for binding in scope.bound(word) if not _is_overload(binding.node)]
        if not bound:
            found = [starred for starred in scope.starred if self._has(starred, word, left)]
            rest = ".".join(filter(None, (word, inside)))
            return self._of(f"{found[0]}.{rest}", left - 1) if len(found) == 1 else None
        if len(bound) != 1 or bound[0].surety not in _SURE:
            return None
        node, target = bound[0].node, bound[0].target
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            return Definition(module, node, inside)
        return self._of(".".join(filter(None, (target, inside))), left - 1) if target else None

    def _has(self, module: str, word: str, left: int) -> bool:
        found = self._modules.get(module)
        if found is None or not left or (word not in found.source and module not in self._starring):
            return False
        scope = self.scope(module)
        if scope is None:
            return False
        return bool(scope.bound(word)) or any(self._has(starred, word, left - 1) for starred in scope.starred)

    @cached_property
    def _starring(self) -> frozenset[str]:
        """The modules that may have star imports, and so names that their own text does not have."""
        return frozenset(name for name, module in self._modules.items() if _STARRED.search(module.source))

    def scope(self, module: str) -> Scope | None:
        """Return a module's names; ``None`` if it is not Python, or not today's Python."""
        if module not in self._scopes:
            self._scopes[module] = None
            found = self._modules.get(module)
            if found is not None and found.is_python:
                with suppress(*UNREADABLE):
                    self._scopes[module] = Scope(module, found)
        return self._scopes[module]


def _is_overload(node: ast.AST) -> bool:
    """Whether this only tells type checkers how a function may be called."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    return any(ast.unparse(decorator).rpartition(".")[2] == "overload" for decorator in node.decorator_list)
