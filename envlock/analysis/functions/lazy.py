"""Which modules of a distribution run when people ask for something that it exports lazily.

Hugging Face's libraries import next to nothing with their package: tables in it (``_import_structure``) say
which module has which name, and ``_LazyModule`` imports that module when somebody asks for the name.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from envlock.analysis.functions.central import SHARE
from envlock.analysis.imports.modules import Module
from envlock.analysis.imports.statements import with_parents
from envlock.analysis.syntax_trees import last_name, parsed

_LAZY = "LazyModule"
"""Suffix of the class name in such packages."""

_TEXTS = re.compile(r"\"\"\".*?\"\"\"|'''.*?'''", re.DOTALL)
"""Docstrings, which may contain examples."""

_FROM = re.compile(r"^from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]*(\([^)]*\)|[^\n]+)", re.MULTILINE)
"""Unconditional imports at the top level of a module: those under a condition are indented."""

_WHOLE = re.compile(r"^import[ \t]+([\w.]+)", re.MULTILINE)
_COMMENT = re.compile(r"#[^\n]*")


class LazyExports:
    """The names that the packages of one distribution export through tables."""

    def __init__(self, modules: Mapping[str, Module], roots: Sequence[str]) -> None:
        """Take all its modules, and those by which it is imported."""
        self._modules = modules
        self._tables = {
            name: table
            for name, one in modules.items()
            if one.is_package and _LAZY in one.source and (table := _table_of(one.source, name))
        }
        exported = {root: self._tables[root] for root in roots if root in self._tables}
        self._homes = [self._home(root, name) for root, names in exported.items() for name in names]

    def are_stopped_by(self, module: str) -> bool:
        """Whether a module runs for a good part of the exports."""
        if not self._homes:
            return False
        reached, queue = {module}, [module]
        while queue:
            new = self._importers[queue.pop()] - reached
            reached |= new
            queue.extend(new)
        return sum(home in reached for home in self._homes) * SHARE >= len(self._homes)

    @cached_property
    def _importers(self) -> Mapping[str, set[str]]:
        """Module -> the modules that surely import it; empty for all others."""
        importers = defaultdict[str, set[str]](set)
        for name in self._modules:
            for imported in self._imports(name):
                importers[imported].add(name)
        return importers

    def _home(self, package: str, name: str) -> str:
        """Return the module that has an exported name, through the tables of nested packages."""
        home = package
        while home in self._tables and name in self._tables[home]:
            home = self._tables[home][name]
        return home

    def _imports(self, name: str) -> Iterator[str]:
        """Yield the modules that one surely imports: its parent packages, and its top-level imports."""
        found = self._modules[name]
        yield from with_parents(name)[:-1]
        source = _TEXTS.sub("", found.source)
        yield from _WHOLE.findall(source)
        package = (name if found.is_package else name.rpartition(".")[0]).split(".")
        for dots, inside, names in _FROM.findall(source):
            base = package[: len(package) - len(dots) + 1] if dots else []
            module = ".".join([*base, *filter(None, [inside])])
            yield module
            for part in _COMMENT.sub("", names).strip("() \t\n").split(","):
                word = part.split()[0] if part.strip() else ""
                yield f"{module}.{word}" if f"{module}.{word}" in self._modules else self._home(module, word)


def _table_of(source: str, package: str) -> dict[str, str]:
    """Map names to modules, from everything that a package puts into its table in any way."""
    try:
        tree = parsed(source)
    except (SyntaxError, ValueError):
        return {}
    nodes = list(ast.walk(tree))
    handed = [one for one in nodes if isinstance(one, ast.Call) and last_name(one.func).endswith(_LAZY)]
    tables = {given.id for call in handed for given in call.args if isinstance(given, ast.Name)}
    found: dict[str, str] = {}
    for node in nodes:
        for key, value in _entries(node, tables):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                texts = (one.value for one in ast.walk(value) if isinstance(one, ast.Constant))
                found |= {text: f"{package}.{key.value}" for text in texts if isinstance(text, str)}
    return found


def _entries(node: ast.AST, tables: set[str]) -> Iterator[tuple[ast.expr | None, ast.expr]]:
    """Match ``table = {key: value}`` or ``table[key]`` with ``= value``, ``+= value``, ``.extend(value)``."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict() as table) if name in tables:
            yield from zip(table.keys, table.values, strict=True)
        case (
            ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name), slice=key)], value=value)
            | ast.AugAssign(target=ast.Subscript(value=ast.Name(id=name), slice=key), value=value)
            | ast.Call(
                func=ast.Attribute(value=ast.Subscript(value=ast.Name(id=name), slice=key)), args=[value]
            )
        ) if name in tables:
            yield key, value
        case _:
            pass
