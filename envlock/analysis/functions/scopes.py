"""The statements that bind the names of a module, and how surely they run."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from typing import NamedTuple

from envlock.analysis.functions.asking import ASKS, catches
from envlock.analysis.imports.guards import Conditions, Guards
from envlock.analysis.imports.modules import Module
from envlock.analysis.syntax_trees import imported_module, imported_names, is_for_types, parsed


class Surety(Enum):
    """Whether a statement runs when its module is imported."""

    PLAIN = "it does"
    TYPED = "for type checkers, as what the module finds while it runs"
    TRIED = "unless it fails"
    BELOW = "below a condition that asks for no version"
    MAYBE = "nobody knows"


_KNOWN = {Surety.PLAIN, Surety.TRIED, Surety.BELOW}


class Bound(NamedTuple):
    """One statement that binds a name.

    Attributes:
        node: the statement.
        target: the dotted name of what is imported; empty if the module defines it.
        surety: whether it runs.
        guards: the distributions that must be present for that.
    """

    node: ast.AST
    target: str
    surety: Surety
    guards: Guards


class Scope:
    """The names of one module.

    Attributes:
        name: the module's.
        source: its text.
        tree: its syntax tree.
        starred: modules whose names it all imports (``*``).
    """

    def __init__(self, name: str, module: Module, conditions: Conditions | None = None) -> None:
        """Parse a module.

        Raises:
            SyntaxError, ValueError: it cannot be read.
        """
        self.name = name
        self.source = module.source
        self.tree = parsed(module.source)
        self.starred: list[str] = []
        self._package = name if module.is_package else name.rpartition(".")[0]
        self._conditions = conditions
        self._bound: dict[str, list[Bound]] = defaultdict(list)
        self._read(self.tree.body, Surety.PLAIN, frozenset())
        if "global " in module.source:
            for node in ast.walk(self.tree):
                if isinstance(node, ast.Global):
                    self._bind(node, node.names, Surety.MAYBE, frozenset())

    def bound(self, name: str) -> Sequence[Bound]:
        """Return all statements that bind a name."""
        return self._bound.get(name, ())

    def names(self) -> Iterable[str]:
        """Return the names that are bound."""
        return self._bound.keys()

    def imported(self, node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
        """Yield the names that an import binds, and the dotted names that they stand for."""
        return imported_names(node, self._package)

    def tried(self) -> Iterator[str]:
        """Yield the dotted names that it imports, but can continue without."""
        for tries in ast.walk(self.tree):
            if isinstance(tries, ast.Try | ast.TryStar) and any(map(catches, tries.handlers)):
                for node in (inside for statement in tries.body for inside in ast.walk(statement)):
                    if isinstance(node, ast.Import):
                        yield from (alias.name for alias in node.names)
                    elif isinstance(node, ast.ImportFrom):
                        yield from (target for _, target in self.imported(node))

    def _read(self, body: Iterable[ast.stmt], surety: Surety, guards: Guards) -> None:
        for node in body:
            self._read_one(node, surety, guards)

    def _read_one(self, node: ast.stmt, surety: Surety, guards: Guards) -> None:
        maybe = Surety.TYPED if surety is Surety.TYPED else Surety.MAYBE
        tried = Surety.TRIED if surety is Surety.PLAIN else surety
        match node:
            case ast.ImportFrom(names=[ast.alias(name="*")]):
                self.starred.append(imported_module(node, self._package))
            case ast.Import() | ast.ImportFrom():
                for name, target in self.imported(node):
                    self._bound[name].append(Bound(node, target, surety, guards))
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self._bind(node, [node.name], surety, guards)
            case ast.If():
                self._read_if(node, surety, guards, maybe)
            case ast.Try() | ast.TryStar():
                self._read([*node.body, *node.orelse], tried, guards)
                self._read(node.finalbody, surety, guards)
                if surety is not Surety.TYPED:
                    for handler in node.handlers:
                        self._bind(handler, [handler.name or ""], maybe, guards)
                        self._read(handler.body, maybe, guards)
            case ast.With() | ast.AsyncWith() | ast.For() | ast.AsyncFor() | ast.While():
                self._bind(node, _stored(node, inside=False), maybe, guards)
                self._read(node.body, maybe, guards)
                self._read(getattr(node, "orelse", []), maybe, guards)
            case _:
                self._bind(node, _stored(node, inside=True), surety, guards)

    def _read_if(self, node: ast.If, surety: Surety, guards: Guards, maybe: Surety) -> None:
        if is_for_types(node):
            self._read(node.body, Surety.TYPED, guards)
            self._read(node.orelse, surety, guards)
            return
        below = Surety.BELOW if surety in _KNOWN and not ASKS.search(ast.unparse(node.test)) else maybe
        there = self._conditions.guards_of(node.test) if self._conditions else None
        self._read(node.body, below if there is None else surety, guards | (there or frozenset()))
        self._read(node.orelse, below, guards)

    def _bind(self, node: ast.AST, names: Iterable[str], surety: Surety, guards: Guards) -> None:
        for name in names:
            self._bound[name].append(Bound(node, "", surety, guards))


def _stored(node: ast.stmt, *, inside: bool) -> list[str]:
    """Return the names that a statement binds or deletes; of a compound one, only its head's."""
    bodies = (
        set()
        if inside
        else {id(statement) for name in ("body", "orelse") for statement in getattr(node, name, [])}
    )
    queue: list[ast.AST] = [node]
    found: list[str] = []
    while queue:
        one = queue.pop()
        if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load):
            found.append(one.id)
        if not isinstance(one, ast.Lambda):
            queue.extend(child for child in ast.iter_child_nodes(one) if id(child) not in bodies)
    return found
