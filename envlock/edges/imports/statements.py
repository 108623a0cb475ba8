"""What runs when modules are imported, and which names of others it reads.

Only what surely runs, and ends with an error where a name is missing, counts: what stands in a ``try`` that
catches that, in a ``with`` or below a condition may be meant for just that, and a function's body runs later.
What stands below a condition that other distributions are there counts beside these, and below one that every
interpreter answers alike, for all.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import count

from envlock.edges.imports.guards import Conditions, Guards, catches_missing, ends_in_error, is_setting_up
from envlock.edges.imports.hashes import UNHASHABLE_DEFAULT, keeps_hash
from envlock.edges.imports.interpreters import answer
from envlock.edges.imports.modules import Module
from envlock.edges.imports.stores import stored_attributes
from envlock.edges.syntax_trees import parsed

CALLED = "__call__"
"""Ends the name of what is called: some things may be read and no longer be made."""

AS_MODULE = "__spec__"
"""Ends the name of what is imported as a module: no function brings it that finds names of a package."""


def reads_on_import(modules: Mapping[str, Module], roots: Sequence[str]) -> dict[str, str]:
    """Dotted name that is surely read on import of the roots, whatever else is there -> file and line.

    Names that the modules themselves set (``np.float = float``) are left out.

    Args:
        modules: dotted name of a module -> the module.
        roots: the modules that are imported; what they import of the others counts, too.
    """
    return reads_by_guards(modules, roots)[frozenset()]


def reads_by_guards(
    modules: Mapping[str, Module], roots: Sequence[str], *, postponed: bool = False
) -> dict[Guards, dict[str, str]]:
    """Likewise what is read where other distributions are there (``if is_peft_available():``), by these.

    A module counts where least is needed for its import; no annotation, where the interpreter puts them off.
    """
    found: dict[Guards, dict[str, str]] = {frozenset(): {}}
    stored: set[str] = set()
    for name, guards, tree, visitor in _run_on_import(modules, roots, postponed=postponed):
        stored |= stored_attributes(tree, modules[name].source)
        for below, lines in visitor.reads.items():
            places = found.setdefault(below, {})
            for read, line in lines.items():
                places.setdefault(read, f"{modules[name].file}:{line}")
        compiled = found.setdefault(guards, {})
        compiled |= {read: modules[name].file for read in modules[name].reads if read not in compiled}
    return {
        guards: {name: where for name, where in reads.items() if name.rpartition(".")[2] not in stored}
        for guards, reads in found.items()
    }


def run_on_import(modules: Mapping[str, Module], roots: Sequence[str]) -> frozenset[str]:
    """The modules that are surely imported with the roots, whatever else is there."""
    return frozenset(name for name, guards, _, _ in _run_on_import(modules, roots) if not guards)


def _run_on_import(
    modules: Mapping[str, Module], roots: Sequence[str], *, postponed: bool = False
) -> Iterator[tuple[str, Guards, ast.Module, _OnImport]]:
    """Each module that is imported with the roots, what must be there for that, and what runs of it."""
    conditions = Conditions(modules)
    turns = count()
    queue = [(0, next(turns), module, frozenset[str]()) for module in roots]
    seen = set[str]()
    while queue:
        _, _, module, guards = heappop(queue)
        while module and module not in modules:  # a name in a module, or a module of another distribution
            module = module.rpartition(".")[0]
        for name in with_parents(module):
            if name in seen or name not in modules:
                continue
            seen.add(name)
            visitor = _OnImport(name, conditions, guards, is_package=modules[name].is_package)
            visitor.postponed = postponed
            try:
                tree = parsed(modules[name].source)
                visitor.visit(tree)
            except (SyntaxError, ValueError, RecursionError):
                continue
            yield name, guards, tree, visitor
            for imported, needed in visitor.imports:
                heappush(queue, (len(needed), next(turns), imported, needed))


def with_parents(module: str) -> list[str]:
    """The packages that a module is in, from the outermost on, and itself."""
    parts = module.split(".")
    return [".".join(parts[: end + 1]) for end in range(len(parts))] if module else []


class _OnImport(ast.NodeVisitor):
    """What runs when one module is imported: dotted names that it reads, with lines, and its imports."""

    def __init__(self, module: str, conditions: Conditions, guards: Guards, *, is_package: bool) -> None:
        self.reads: dict[Guards, dict[str, int]] = {}
        self.imports: list[tuple[str, Guards]] = []
        self._conditions = conditions
        self._guards = guards
        self._package = module if is_package else module.rpartition(".")[0]
        self._aliases: dict[str, str] = {}
        self._told: dict[str, bool] = {}
        self._without_hash: set[str] = set()
        self.postponed = False

    def visit_Import(self, node: ast.Import) -> None:
        """Modules by name."""
        for alias in node.names:
            self._note(alias.name, node.lineno)
            self._note_module(alias.name, node.lineno)
            self._import(alias.name)
            bound = alias.asname or alias.name.partition(".")[0]
            self._aliases[bound] = alias.name if alias.asname else bound

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Names out of modules, relative ones too."""
        package = self._package.split(".")
        base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
        module = ".".join(part for part in (base, node.module or "") if part)
        if module == "__future__":
            self.postponed |= any(alias.name == "annotations" for alias in node.names)
            return
        self._import(module)
        self._note(module, node.lineno)
        self._note_module(module, node.lineno)
        for alias in node.names:
            full = f"{module}.{alias.name}"
            self._note(full, node.lineno)
            self._import(full)
            self._aliases[alias.asname or alias.name] = full

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """A chain of names that begins with something imported."""
        chain = self._chain(node)
        if not chain:
            self.generic_visit(node)
        for dotted in chain[1:]:
            self._note(dotted, node.lineno)

    def visit_Call(self, node: ast.Call) -> None:
        """A name of its own; ``__import__`` by name is an import, as namespace packages have it."""
        chain = self._chain(node.func)
        if chain:
            self._note(f"{chain[-1]}.{CALLED}", node.lineno)
        if isinstance(node.func, ast.Name) and node.func.id == "__import__" and node.args:
            named = node.args[0]
            if isinstance(named, ast.Constant) and isinstance(named.value, str):
                self._note(named.value, node.lineno)
                self._import(named.value)
        self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Its body runs, where its own names come before those of the module."""
        if any(self._makes_dataclass(one) for one in node.decorator_list):
            fields = (one for one in node.body if isinstance(one, ast.AnnAssign))
            for field in fields:
                made = field.value.func if isinstance(field.value, ast.Call) else None
                if isinstance(made, ast.Name) and made.id in self._without_hash:
                    self._note(UNHASHABLE_DEFAULT, field.lineno)
            if not any(keeps_hash(one) for one in (*node.decorator_list, *node.body)):
                self._without_hash.add(node.name)
        for part in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(part)
        outside, self._aliases = self._aliases, dict(self._aliases)
        for statement in node.body:
            self.visit(statement)
        self._aliases = outside
        self._aliases.pop(node.name, None)

    def _makes_dataclass(self, decorator: ast.expr) -> bool:
        """``@dataclass`` of the standard library, with arguments or without."""
        chain = self._chain(decorator.func if isinstance(decorator, ast.Call) else decorator)
        return bool(chain) and chain[-1] == "dataclasses.dataclass"

    def _chain(self, node: ast.expr) -> list[str]:
        """``np``, ``np.random`` and ``np.random.rand`` of that; nothing of what is not imported."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self._aliases:
            return []
        chain = [self._aliases[node.id]]
        for part in reversed(parts):
            chain.append(f"{chain[-1]}.{part}")
        return chain

    def visit_Assign(self, node: ast.Assign) -> None:
        """The value, and then what it is put in; it may be the answer to a condition below."""
        for part in (node.value, *node.targets):
            self.visit(part)
        for name in (one.id for one in node.targets if isinstance(one, ast.Name)):
            self._told.pop(name, None)
            if (everywhere := answer(node.value, self._told)) is not None:
                self._told[name] = everywhere

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """The value, and the annotation where it is not put off."""
        if not self.postponed:
            self.visit(node.annotation)
        if node.value is not None:
            self.visit(node.value)
            self.visit(node.target)

    def visit_Name(self, node: ast.Name) -> None:
        """What is made anew by the name of something imported is that no more."""
        if not isinstance(node.ctx, ast.Load):
            self._aliases.pop(node.id, None)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Decorators, defaults and annotations; the body runs later."""
        for part in (*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(part)
        arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        for one in (*(argument.annotation for argument in arguments), node.returns):
            if one is not None and not self.postponed:
                self.visit(one)
        self._aliases.pop(node.name, None)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def visit_Lambda(self, node: ast.Lambda) -> None:
        """Runs later."""

    def visit_Constant(self, node: ast.Constant) -> None:
        """Reads nothing; the base class would look for visitors of before Python 3.8, each time."""

    def visit_Try(self, node: ast.Try) -> None:
        """May be meant for just that, by its handlers; what comes first in it surely runs.

        Where all of these end in an error themselves (``raise ImportError("install it")``), so does all that
        fails in it. Not so what runs where the others are there that it asks for.
        """
        if all(map(ends_in_error, node.handlers)):  # of none, too: then only ``finally`` is there
            for statement in node.body:
                self.visit(statement)
        elif not any(map(catches_missing, node.handlers)):
            self.visit(node.body[0])
        self._below(self._conditions.guards_of_else(node), node.orelse)

    def visit_If(self, node: ast.If) -> None:
        """May depend on just that, where it does not ask whether others are there, or for an old Python."""
        everywhere = answer(node.test, self._told)
        if everywhere is not None:
            self._below(frozenset(), node.body if everywhere else node.orelse)
        elif is_setting_up(node.test):
            self._below(frozenset(), node.orelse)
        else:
            self._below(self._conditions.guards_of(node.test), node.body)

    def _below(self, guards: Guards | None, body: Sequence[ast.stmt]) -> None:
        """What runs where these are there; what it names may be another thing where they are not.

        It runs for all where nobody has to be.
        """
        if guards is None:
            return
        outside = self._guards, self._aliases
        self._guards, self._aliases = self._guards | guards, dict(self._aliases)
        for statement in body:
            self.visit(statement)
        self._guards, self._aliases = outside if guards else (outside[0], self._aliases)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        """May depend on just that."""

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        """May depend on just that."""

    def visit_With(self, node: ast.With) -> None:
        """May suppress just that."""

    def _note_module(self, module: str, line: int) -> None:
        if "." in module:
            self._note(f"{module}.{AS_MODULE}", line)

    def _note(self, name: str, line: int) -> None:
        self.reads.setdefault(self._guards, {}).setdefault(name, line)

    def _import(self, module: str) -> None:
        self.imports.append((module, self._guards))
