"""What runs when one module is imported, and which names of others it reads.

Only code counts that surely runs, and that fails if a name is missing: code in a ``try`` that catches this,
in a ``with`` or under a condition may be meant for just that case, the body of a loop may have nothing to go
through, and a function's body runs later. Code under a condition that other distributions are present counts
beside these, and code under one that has the same answer on every interpreter counts for all. A name is
followed until code binds it anew that may run.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from envlock.analysis.imports.guards import Conditions, Guards, catches_missing, ends_in_error, is_setting_up
from envlock.analysis.imports.hashes import UNHASHABLE_DEFAULT, checks_default, loses_hash
from envlock.analysis.imports.interpreters import answer
from envlock.analysis.syntax_trees import (
    bound_names,
    imported_module,
    imported_names,
    outside_definitions,
)

CALLED = "__call__"
"""Ends the name of something that is called: some things can still be read, but no longer be made."""

AS_MODULE = "__spec__"
"""Ends the name of a module import, which no function that resolves a package's names can satisfy."""


class OnImport(ast.NodeVisitor):
    """What runs when a module is imported: the dotted names it reads, with lines, and its imports."""

    def __init__(self, module: str, conditions: Conditions, guards: Guards, *, is_package: bool) -> None:
        self.reads: dict[Guards, dict[str, int]] = {}
        self.imports: list[tuple[str, Guards]] = []
        self._conditions = conditions
        self._guards = guards
        self._package = module if is_package else module.rpartition(".")[0]
        self._aliases: dict[str, str] = {}
        self._decided: dict[str, bool] = {}
        self._without_hash: set[str] = set()
        self.postponed = False

    def visit_Import(self, node: ast.Import) -> None:
        """Record modules by name."""
        for alias in node.names:
            self._note(alias.name, node.lineno)
            self._note_module(alias.name, node.lineno)
            self._import(alias.name)
        self._aliases |= dict(imported_names(node, self._package))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Record names from modules, with relative ones resolved."""
        module = imported_module(node, self._package)
        if module == "__future__":
            self.postponed |= any(alias.name == "annotations" for alias in node.names)
            return
        self._import(module)
        self._note(module, node.lineno)
        self._note_module(module, node.lineno)
        for name, target in imported_names(node, self._package):
            self._note(target, node.lineno)
            self._import(target)
            self._aliases[name] = target

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Record an attribute chain that begins with something imported."""
        chain = self._chain(node)
        if not chain:
            self.generic_visit(node)
        for dotted in chain[1:]:
            self._note(dotted, node.lineno)

    def visit_Call(self, node: ast.Call) -> None:
        """Record what is called; ``__import__`` with a name is an import, used by namespace packages."""
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
        """Visit the body, which runs, and where its own names come before those of the module."""
        if any(self._makes_dataclass(decorator) for decorator in node.decorator_list):
            for field in (part for part in node.body if checks_default(part)):
                made = field.value.func if isinstance(field.value, ast.Call) else None
                if isinstance(made, ast.Name) and made.id in self._without_hash:
                    self._note(UNHASHABLE_DEFAULT, field.lineno)
            if loses_hash(node):
                self._without_hash.add(node.name)
        for part in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(part)
        outside, self._aliases = self._aliases, dict(self._aliases)
        for statement in node.body:
            self.visit(statement)
        self._aliases = outside
        self._aliases.pop(node.name, None)

    def _makes_dataclass(self, decorator: ast.expr) -> bool:
        """Whether it is the standard library's ``@dataclass``, with arguments or without."""
        chain = self._chain(decorator.func if isinstance(decorator, ast.Call) else decorator)
        return bool(chain) and chain[-1] == "dataclasses.dataclass"

    def _chain(self, node: ast.expr) -> list[str]:
        """Return ``np``, ``np.random``, ``np.random.rand`` for the last; nothing if not imported."""
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
        """Visit the value, then the targets; the value may answer a condition below."""
        for part in (node.value, *node.targets):
            self.visit(part)
        for name in (target.id for target in node.targets if isinstance(target, ast.Name)):
            self._decided.pop(name, None)
            if (everywhere := answer(node.value, self._decided)) is not None:
                self._decided[name] = everywhere

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Visit the value, and the annotation unless it is deferred."""
        if not self.postponed:
            self.visit(node.annotation)
        if node.value is not None:
            self.visit(node.value)
            self.visit(node.target)

    def visit_Name(self, node: ast.Name) -> None:
        """Forget an imported name that is bound anew."""
        if not isinstance(node.ctx, ast.Load):
            self._aliases.pop(node.id, None)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Visit decorators, defaults and annotations; the body runs later."""
        for part in (*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(part)
        arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        for annotation in (*(argument.annotation for argument in arguments), node.returns):
            if annotation is not None and not self.postponed:
                self.visit(annotation)
        self._aliases.pop(node.name, None)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def visit_Lambda(self, node: ast.Lambda) -> None:
        """Skip it, because it runs later."""

    def visit_Constant(self, node: ast.Constant) -> None:
        """Skip it; the base class would look for visitors from before Python 3.8 each time."""

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        """Visit what it iterates over, which may be nothing."""
        self.visit(node.iter)
        self._forget(node.target, *node.body, *node.orelse)

    visit_AsyncFor = visit_For  # noqa: N815

    def visit_While(self, node: ast.While) -> None:
        """Visit the test, which may be false at once."""
        self.visit(node.test)
        self._forget(*node.body, *node.orelse)

    def visit_Match(self, node: ast.Match) -> None:
        """Visit the subject, which may be none of the cases."""
        self.visit(node.subject)
        self._forget(*node.cases)

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        """Visit what it iterates over first, which may be nothing."""
        self.visit(node.generators[0].iter)

    visit_SetComp = visit_GeneratorExp = visit_DictComp = visit_ListComp  # noqa: N815

    def _forget(self, *parts: ast.AST) -> None:
        """Forget the names that parts which may run bind to something else than they stand for."""
        nodes = [node for part in parts for node in outside_definitions(part)]
        imports = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
        bound = [pair for node in imports for pair in imported_names(node, self._package)]
        others = {name for name, target in bound if self._aliases.get(name) != target}
        for name in others | bound_names(node for node in nodes if not isinstance(node, ast.alias)):
            self._aliases.pop(name, None)
            self._decided.pop(name, None)

    def visit_Try(self, node: ast.Try | ast.TryStar) -> None:
        """Visit what surely runs, and whose errors the handlers do not catch.

        If all handlers end in an error themselves (``raise ImportError("install it")``), so does every
        failure in the body. Otherwise, unless one may catch a missing name, the first statement surely runs.
        If they catch only that modules are missing, what is read of these runs beside them. The ``else`` runs
        beside the distributions that the body asks for, and ``finally`` always.
        """
        if all(map(ends_in_error, node.handlers)):  # also if there are none, but only ``finally``
            for statement in node.body:
                self.visit(statement)
        elif not any(map(catches_missing, node.handlers)):
            self.visit(node.body[0])
            self._forget(*node.body[1:], *node.handlers)
        else:
            self._below(*self._conditions.beside_modules(node))
            self._forget(*node.body, *node.handlers)
        self._below(self._conditions.guards_of_else(node), node.orelse)
        for statement in node.finalbody:
            self.visit(statement)

    visit_TryStar = visit_Try  # noqa: N815

    def visit_If(self, node: ast.If) -> None:
        """Visit the branch that surely runs, or that runs if other distributions are present."""
        everywhere = answer(node.test, self._decided)
        if everywhere is not None:
            self._below(frozenset(), node.body if everywhere else node.orelse)
        elif is_setting_up(node.test):
            self._below(frozenset(), node.orelse)
        else:
            self._below(self._conditions.guards_of(node.test), node.body, node.orelse)

    def _below(
        self, guards: Guards | None, body: Sequence[ast.stmt], otherwise: Sequence[ast.stmt] = ()
    ) -> None:
        """Visit what runs if these are present, which is always if there are none.

        Args:
            guards: the distributions; ``None`` if it may run for other reasons, and is not visited.
            body: what runs.
            otherwise: what runs without them.
        """
        outside = self._guards, self._aliases
        if guards is not None:
            self._guards, self._aliases = self._guards | guards, dict(self._aliases)
            for statement in body:
                self.visit(statement)
        if guards == frozenset():
            self._guards = outside[0]
        else:
            self._guards, self._aliases = outside
            self._forget(*body, *otherwise)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        """Skip it, because it may depend on a missing name."""

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        """Skip it, because it may depend on a missing name."""

    def visit_With(self, node: ast.With) -> None:
        """Skip it, because it may suppress the error."""
        self._forget(node)

    def _note_module(self, module: str, line: int) -> None:
        if "." in module:
            self._note(f"{module}.{AS_MODULE}", line)

    def _note(self, name: str, line: int) -> None:
        self.reads.setdefault(self._guards, {}).setdefault(name, line)

    def _import(self, module: str) -> None:
        self.imports.append((module, self._guards))
