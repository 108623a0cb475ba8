"""What a module's text says about its names: those it binds, and those it may find at run time."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from envlock.analysis.imports.module_getattr import gives_what_its_text_shows
from envlock.analysis.imports.namespaces import (
    NAMESPACES,
    hands_itself_on,
    makes_any,
    may_find_itself,
)
from envlock.analysis.imports.stores import stored_attributes
from envlock.analysis.syntax_trees import (
    UNREADABLE,
    bound_names,
    is_for_types,
    last_name,
    outside_definitions,
    parsed,
)

_LIST = re.compile(r"\s*\w+([\s,]+\w+)*[\s,]*")
"""A string at the top level of a module that names may be taken from: ``"one two".split()``."""


class Words(NamedTuple):
    """The words of a module.

    Attributes:
        names: all that are read, bound or defined in it, including attributes and arguments.
        texts: its strings, such as those in ``__all__`` and in protoc's descriptions of messages.
        encoded: its byte strings.
        bound: names that its own statements bind, on whatever path through them.
        told: words that are a whole string, except those that a table declares removed.
        stored: attributes that it sets on others.
        shadows: bound names that are surely not just submodules of that name.
        finds: whether it finds names at run time.
        makes_any: whether it may assemble any name.
        listed: what ``__all__`` lists, if one plain statement says it and nothing changes it.
        starred: the dots and the module of each star import that runs: not those for type checkers alone.
    """

    names: frozenset[str]
    texts: str
    encoded: bytes
    bound: frozenset[str]
    told: frozenset[str]
    stored: frozenset[str]
    shadows: frozenset[str]
    finds: bool
    makes_any: bool
    listed: frozenset[str] | None = None
    starred: tuple[tuple[int, str], ...] = ()

    @classmethod
    def of(cls, source: str, module: str) -> Words | None:
        """Return the words of a module's source, without its prose; ``None`` if it cannot be parsed."""
        try:
            return cls._of_tree(parsed(source), source, module)
        except UNREADABLE:
            return None

    @classmethod
    def _of_tree(cls, tree: ast.Module, source: str, module: str) -> Words:
        names, texts, encoded = set[str](), list[str](), list[bytes]()
        top = list(outside_definitions(tree))
        gone = {id(key) for key in _taken_away(tree, top)}
        lists = {id(node) for node in top} - gone
        told = set[str]()
        for node in _without_prose(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.append(node.value)
                if id(node) not in gone:
                    told.add(node.value)
                if id(node) in lists and _LIST.fullmatch(node.value):
                    told.update(re.split(r"[\s,]+", node.value))
            elif isinstance(node, ast.Constant) and isinstance(node.value, bytes):
                encoded.append(node.value)
            elif isinstance(node, ast.alias):
                names |= {*node.name.split("."), node.asname or ""}
            else:
                names |= {getattr(node, field, "") or "" for field in ("id", "name", "attr", "arg")}
        bound = bound_names(top) - _taken_back(tree, top) | _global(tree, source)
        modules = {id(one) for node in top for one in _own_modules(node, module)}
        return cls(
            names=frozenset(names),
            texts="\n".join(texts),
            encoded=b"\n".join(encoded),
            bound=bound,
            told=frozenset(told),
            stored=frozenset(stored_attributes(tree, source)),
            shadows=bound_names(one for one in top if id(one) not in modules),
            finds=_finds(tree, top, names, bound),
            makes_any=makes_any(source, tree, names) or hands_itself_on(top, bound),
            listed=_listed(tree) if "__all__" in names else None,
            starred=tuple(_starred(top)),
        )

    def have(self, word: str) -> bool:
        """Whether a word is a name, or in a string."""
        return (
            word in self.names
            or word.encode() in self.encoded
            or re.search(rf"\b{word}\b", self.texts) is not None
        )

    def give(self, word: str) -> bool:
        """Whether the module itself may bind a word: one of its statements does, or a string is that word."""
        return word in self.bound or word in self.told or word.encode() in self.encoded

    def hands_on(self, word: str) -> bool:
        """Whether a star import of the module may take a word, if the module has it."""
        if self.listed is not None:
            return word in self.listed
        return "__all__" in self.names or not word.startswith("_")

    def may_give(self, word: str) -> bool:
        """Whether a word may be something other than a submodule of that name."""
        return word in self.shadows or ("__getattr__" in self.bound and word in self.told)


def _listed(tree: ast.Module) -> frozenset[str] | None:
    said = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == "__all__"]
    for statement in tree.body if len(said) == 1 else ():
        match statement:
            case ast.Assign(
                targets=[ast.Name(id="__all__")], value=ast.List(elts=parts) | ast.Tuple(elts=parts)
            ):
                pass
            case ast.AnnAssign(
                target=ast.Name(id="__all__"), value=ast.List(elts=parts) | ast.Tuple(elts=parts)
            ):
                pass
            case _:
                continue
        names = [
            part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)
        ]
        return frozenset(names) if len(names) == len(parts) else None
    return None


def _starred(top: Iterable[ast.AST]) -> Iterator[tuple[int, str]]:
    for_types = {
        id(node)
        for condition in top
        if isinstance(condition, ast.If) and is_for_types(condition)
        for statement in condition.body
        for node in ast.walk(statement)
    }
    for node in top:
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*" and id(node) not in for_types:
            yield node.level, node.module or ""


def _without_prose(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield all nodes except docstrings and other strings that stand alone."""
    queue: list[ast.AST] = [tree]
    while queue:
        node = queue.pop()
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            yield node
            queue.extend(ast.iter_child_nodes(node))


def _taken_back(tree: ast.Module, top: Iterable[ast.AST]) -> frozenset[str]:
    """Return the names that the module surely deletes and does not bind again (``del xla`` in JAX)."""
    last: dict[str, int] = {}
    for node in tree.body:
        if isinstance(node, ast.Delete):
            inside = [one for target in node.targets for one in ast.walk(target)]
            names = [one.id for one in inside if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Del)]
            last |= dict.fromkeys(names, node.end_lineno or node.lineno)
    if not last:
        return frozenset()
    again = {
        name
        for node in top
        for name in bound_names([node])
        if getattr(node, "lineno", 0) > last.get(name, math.inf)
    }
    return frozenset(last.keys() - again)


def _global(tree: ast.Module, source: str) -> frozenset[str]:
    """Return the names that functions bind in the module."""
    nodes = ast.walk(tree) if "global " in source else ()
    return frozenset(name for node in nodes if isinstance(node, ast.Global) for name in node.names)


def _own_modules(node: ast.AST, module: str) -> Iterator[ast.alias]:
    """Yield what a package imports from itself under its own name: ``from . import inner``."""
    if isinstance(node, ast.ImportFrom) and (node.level, node.module or "") in {(1, ""), (0, module)}:
        yield from (alias for alias in node.names if alias.asname in {None, alias.name})


def _finds(tree: ast.Module, top: list[ast.AST], names: set[str], bound: frozenset[str]) -> bool:
    """Whether a module finds names at run time: by ``__getattr__``, ``sys.modules`` or its namespace."""
    if "__path__" in names or "globals" in names:
        return True
    if {"sys", "modules"} <= names and may_find_itself(tree):
        return True
    if "__getattr__" in bound and not gives_what_its_text_shows(tree, top):
        return True
    called = (node.func for node in top if isinstance(node, ast.Call))
    return any(
        last_name(function) in NAMESPACES or "lazy" in last_name(function).lower() for function in called
    )


def _taken_away(tree: ast.Module, top: Iterable[ast.AST]) -> Iterator[ast.expr]:
    """Yield names given only a reason, raised as an error by JAX (``"xe": ("It is gone", None)``).

    To a ``__getattr__`` of the module's own, such a table may mean anything.
    """
    if any(isinstance(node, ast.FunctionDef) and node.name == "__getattr__" for node in top):
        return
    for table in (node for node in ast.walk(tree) if isinstance(node, ast.Dict)):
        for key, value in zip(table.keys, table.values, strict=True):
            if key is not None and isinstance(value, ast.Tuple) and value.elts:
                last = value.elts[-1]
                if isinstance(last, ast.Constant) and last.value is None:
                    yield key
