"""The parameters of a distribution's functions and classes, as far as their definitions are certain."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping

from envlock.analysis.functions.asking import Function
from envlock.analysis.functions.calls import Parameters
from envlock.analysis.functions.decorators import words_of
from envlock.analysis.functions.definitions import Definition, Definitions
from envlock.analysis.functions.fields import dataclass_parameters, is_dataclass
from envlock.analysis.imports.modules import Module

_PLAIN_BASES = frozenset({"object", "abc.ABC", "typing.Generic", "typing.Protocol"})
_ODD_BASES = re.compile(r"Enum|Flag|NamedTuple|TypedDict|Meta$")
"""Bases whose subclasses are not constructed as ``__init__`` says, by their names."""

_DEEPEST = 8
"""Most base classes followed in a row."""

_KINDS = {"classmethod", "staticmethod"}


class Callees:
    """The parameters of one distribution's callables; each is looked up once."""

    def __init__(self, modules: Mapping[str, Module]) -> None:
        self._modules = modules
        self._definitions = Definitions(modules)
        self._known: dict[str, Parameters | None] = {}

    def parameters(self, dotted: str) -> Parameters | None:
        """Return the parameters of the callable with a dotted name; ``None`` if they are not certain."""
        if dotted not in self._known:
            self._known[dotted] = self._found(dotted)
        return self._known[dotted]

    def _found(self, dotted: str) -> Parameters | None:
        found = self._definitions.of(dotted)
        if found is None:
            return None
        if not isinstance(found.node, ast.ClassDef):
            return self._of_function(found, found.node) if not found.inside else None
        if not found.inside:
            return self._of_class(found, _DEEPEST)
        return self._of_method(found, found.node) if "." not in found.inside else None

    def _of_function(self, found: Definition, node: Function) -> Parameters | None:
        return self._veiled(Parameters.of(node.args), found, node.decorator_list)

    def _veiled(
        self, taken: Parameters, found: Definition, decorators: Iterable[ast.expr]
    ) -> Parameters | None:
        """Return what is certain of the parameters behind decorators."""
        words = [words_of(decorator, found.module, self._definitions) for decorator in decorators]
        known = [word for word in words if word is not None]
        return taken._replace(veil="\n".join(filter(None, known))) if len(known) == len(words) else None

    def _of_method(self, found: Definition, owner: ast.ClassDef) -> Parameters | None:
        """Return the parameters of a class method or static method that is called through its class."""
        node = _only(owner, found.inside)
        if node is None or self._is_odd(found, owner, _DEEPEST):
            return None
        kinds = [decorator.id for decorator in node.decorator_list if isinstance(decorator, ast.Name)]
        others = [decorator for decorator in node.decorator_list if ast.unparse(decorator) not in _KINDS]
        taken = self._veiled(Parameters.of(node.args), found, others)
        if taken is None or _KINDS.isdisjoint(kinds):
            return None
        return taken.bound() if "classmethod" in kinds else taken

    def _of_class(self, found: Definition, left: int) -> Parameters | None:
        """Return those of ``__init__``: the class's own, its only base's, or the one ``dataclass`` makes."""
        owner = found.node
        if not isinstance(owner, ast.ClassDef) or not left or self._is_odd(found, owner, left):
            return None
        if is_dataclass(owner, found.module, self._definitions):
            return dataclass_parameters(found, self._definitions)
        if any(
            words_of(decorator, found.module, self._definitions) != "" for decorator in owner.decorator_list
        ):
            return None
        if _binds(owner, "__init__"):
            node = _only(owner, "__init__")
            taken = None if node is None else self._of_function(found, node)
            return None if taken is None else taken.bound()
        bases = [self._definitions.target(found.module, one) or ast.unparse(one) for one in owner.bases]
        others = [one for one in bases if one.partition("[")[0] not in _PLAIN_BASES]
        base = self._definitions.of(others[0]) if len(others) == 1 else None
        return None if base is None or base.inside else self._of_class(base, left - 1)

    def _is_odd(self, found: Definition, owner: ast.ClassDef, left: int) -> bool:
        """Whether objects may be constructed other than by ``__init__``: by a metaclass, or ``__new__``."""
        source = self._modules[found.module].source
        if _binds(owner, "__new__") or f"{owner.name}.__init__ =" in source or not left:
            return True
        if any(not self._makes_plainly(found, keyword) for keyword in owner.keywords):
            return True
        for base in owner.bases:
            if _ODD_BASES.search(ast.unparse(base).partition("[")[0].rpartition(".")[2]):
                return True
            target = self._definitions.target(found.module, base)
            of_it = self._definitions.of(target) if target else None
            if of_it is None or of_it.inside or not isinstance(of_it.node, ast.ClassDef):
                continue
            if self._is_odd(of_it, of_it.node, left - 1):
                return True
        return False

    def _makes_plainly(self, found: Definition, keyword: ast.keyword) -> bool:
        """Whether a metaclass leaves construction alone, because it defines no method for it."""
        if keyword.arg != "metaclass":
            return False
        target = self._definitions.target(found.module, keyword.value)
        if target in {"abc.ABCMeta", "type"}:
            return True
        meta = self._definitions.of(target) if target else None
        if meta is None or meta.inside or not isinstance(meta.node, ast.ClassDef) or meta.node.decorator_list:
            return False
        if any(_binds(meta.node, method) for method in ("__call__", "__new__", "__init__", "__prepare__")):
            return False
        return all(
            ast.unparse(base) == "type" or self._definitions.target(meta.module, base) == "abc.ABCMeta"
            for base in meta.node.bases
        )


def _binds(owner: ast.ClassDef, name: str) -> bool:
    """Whether a class body binds a name, anywhere in it."""
    for node in ast.walk(owner):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            return True
        if isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load):
            return True
    return False


def _only(owner: ast.ClassDef, name: str) -> Function | None:
    """Return the method in a class's own body, if nothing else there has its name."""
    found = [
        statement
        for statement in owner.body
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) and statement.name == name
    ]
    stored = [
        statement
        for statement in owner.body
        if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef)
        and any(_names(inner, name) for inner in ast.walk(statement))
    ]
    return found[0] if len(found) == 1 and not stored else None


def _names(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return node.name == name
    return isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)
