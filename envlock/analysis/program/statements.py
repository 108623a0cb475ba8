"""Reads the statements of a program: what they bind, and in which order."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import field, replace

from envlock.analysis.program.expressions import Expressions, annotations_of, defaults_of
from envlock.analysis.program.guards import expects_to_fail, guard_of, ready_to_fail
from envlock.analysis.program.own_code import Function, accepted_by
from envlock.analysis.program.scopes import Known, Scope
from envlock.analysis.program.uses import CALLED, UNKNOWN
from envlock.model.frozen import dataclass


@dataclass(slots=True, kw_only=True)
class Reader(Expressions):
    """Reads statements.

    Attributes:
        star: the module whose public names are all imported, of those that the reading is for.
        imports: the packages that are imported.
        top: the scope of the module.
        waiting: functions to read once the names around them have their final values.
        late: whether annotations are not evaluated (PEP 563).
    """

    star: Known
    imports: set[str] = field(default_factory=set)
    top: Scope = field(default_factory=Scope)
    waiting: list[tuple[Function, Scope]] = field(default_factory=list)
    late: bool = False

    def module(self, tree: ast.Module) -> None:
        """Read a program, then its functions' bodies, once the names around them have their final values."""
        self.block(tree.body, self.top)
        for name, known in self.own.shared.items():
            if self.top.names.get(name) is None:
                self.top.names[name] = known
        while self.waiting or self.lambdas:
            self.waiting += self.lambdas
            self.lambdas.clear()
            function, around = self.waiting.pop(0)
            self.body(function, around)

    def body(self, function: Function, around: Scope) -> None:
        """Read the body of a function."""
        path = "" if isinstance(function, ast.Lambda) else self.own.path(function)
        scope = around.inner(function=path, within=around.within)
        scope.gathering = function.args.kwarg.arg if function.args.kwarg else ""
        self.own.accepts[path] = frozenset(accepted_by(function))
        for name, known in self.parameters(function, path, scope):
            scope.names[name] = known
        if isinstance(function, ast.Lambda):
            self.expression(function.body, scope)
        else:
            self.block(function.body, scope)

    def block(self, body: Iterable[ast.stmt], scope: Scope) -> None:
        """Read statements in order."""
        for statement in body:
            self.statement(statement, scope)

    def statement(self, node: ast.stmt, scope: Scope) -> None:
        """Read one statement: those that bind names here, all others as compound ones."""
        match node:
            case ast.Import():
                self.plain_import(node, scope)
            case ast.ImportFrom():
                self.import_from(node, scope)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.function(node, scope)
            case ast.ClassDef():
                self.define(node, scope)
            case ast.Assign():
                self.assign(node.targets, node.value, scope)
            case ast.AnnAssign():
                self.annotation(node, scope)
            case ast.Global():
                scope.shared |= set(node.names)
            case ast.Return() if node.value is not None:
                self.expression(node.value, scope)
                self.own.answer(scope.function, self.known(node.value, scope))
            case _:
                self.compound(node, scope)

    def compound(self, node: ast.stmt, scope: Scope) -> None:
        """Read a statement that contains others."""
        match node:
            case ast.If() | ast.While():
                self.expression(node.test, scope)
                self.tested(node.test, scope, [*node.body, *node.orelse])
            case ast.For() | ast.AsyncFor():
                self.expression(node.iter, scope)
                self.bind(node.target, self.element(node.iter, scope), scope)
                self.branch(scope, node.body, node.orelse)
            case ast.With() | ast.AsyncWith():
                self.managed(node, scope)
            case ast.Try() | ast.TryStar():
                self.attempt(node, scope)
            case ast.Match():
                self.expression(node.subject, scope)
                for case in node.cases:
                    self.expressions([case.pattern, *([case.guard] if case.guard else [])], scope)
                self.branch(scope, *(case.body for case in node.cases))
            case _:
                self.expressions(ast.iter_child_nodes(node), scope)

    def plain_import(self, node: ast.Import, scope: Scope) -> None:
        """Read ``import a.b``, which binds ``a``, or ``import a.b as c``, which binds ``c`` to ``a.b``."""
        for alias in node.names:
            top = alias.name.partition(".")[0]
            bound = alias.name if alias.asname else top
            if own := self.own.modules.find(alias.name, 0, self.file):
                bound = own if alias.asname else self.own.modules.top(own, alias.name)
            else:
                self.imports.add(top)
                self.use(node, alias.name, None, sure=True)
            scope.bind(alias.asname or top, Known(bound))

    def import_from(self, node: ast.ImportFrom, scope: Scope) -> None:
        """Read ``from a.b import c as d``, which may lead into another file of the program."""
        if own := self.own.modules.find(node.module or "", node.level, self.file):
            self.import_own(own, node.names, scope)
            return
        if not node.level and node.module:
            self.imports.add(node.module.partition(".")[0])
            self.late |= node.module == "__future__" and any(one.name == "annotations" for one in node.names)
        for alias in node.names:
            path = "" if node.level or not node.module else f"{node.module}.{alias.name}"
            if alias.name == "*":
                self.use(node, node.module or "", None, sure=True)
                scope.star = self.star if node.module == self.star.path and path else scope.star
                continue
            if path:
                self.use(node, path, None, sure=True)
            scope.bind(alias.asname or alias.name, Known(path) if path else None)

    def import_own(self, module: str, names: Iterable[ast.alias], scope: Scope) -> None:
        """Bind what another file of the program defines."""
        for alias in names:
            if alias.name == "*":
                for name, known in self.own.modules.public(module):
                    scope.bind(name, known)
            else:
                scope.bind(alias.asname or alias.name, self.own.modules.attribute(module, alias.name))

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> None:
        """Read what a definition itself uses now, and defer its body."""
        self.expressions([*node.decorator_list, *defaults_of(node.args)], scope)
        self.annotations([*annotations_of(node.args), *([node.returns] if node.returns else [])], scope)
        scope.bind(node.name, Known(self.own.path(node), sure=False))
        self.own.answer(self.own.path(node), self.annotated(node.returns, scope))
        self.waiting.append((node, scope))

    def define(self, node: ast.ClassDef, scope: Scope) -> None:
        """Read a class, which may pass on what it inherits from an imported one."""
        self.expressions([*node.decorator_list, *node.bases, *node.keywords], scope)
        base = next((found for one in node.bases if (found := self.base(one, scope)) is not None), None)
        path = self.own.path(node)
        self.own.define(node, Known(base.path, base.sure and len(node.bases) == 1) if base else None)
        if base is not None:
            self.overridden(node, base)
        inner = scope.inner(within=path)
        inner.names[node.name] = Known(path, sure=False)
        self.block(node.body, inner)
        for name, known in inner.names.maps[0].items():
            if name != node.name and name not in self.own.classes[path].methods:
                self.own.keep(path, name, known)
        scope.bind(node.name, Known(path, sure=False))

    def overridden(self, node: ast.ClassDef, base: Known) -> None:
        """Note the methods by which a class may replace what its base calls."""
        for statement in node.body:
            if isinstance(
                statement, ast.FunctionDef | ast.AsyncFunctionDef
            ) and not statement.name.startswith("_"):
                before = len(self.uses)
                self.use(
                    statement, f"{base.path}.{statement.name}", None, sure=base.sure and len(node.bases) == 1
                )
                self.uses[before:] = [replace(use, overrides=True) for use in self.uses[before:]]

    def base(self, node: ast.expr, scope: Scope) -> Known | None:
        """Return the imported class that a base is, or itself inherits from."""
        known = self.known(node, scope)
        if known is not None and known.path in self.own.classes:
            return self.own.classes[known.path].base
        return known if known is not None and known.path != UNKNOWN and CALLED not in known.path else None

    def assign(self, targets: Iterable[ast.expr], value: ast.expr, scope: Scope) -> None:
        """Bind names to what the value leads to."""
        self.expression(value, scope)
        known, keys = self.known(value, scope), self.keys(value, scope)
        for target in targets:
            match target, value:
                case ast.Tuple() | ast.List(), ast.Tuple() | ast.List() if len(target.elts) == len(
                    value.elts
                ):
                    for one, part in zip(target.elts, value.elts, strict=True):
                        self.bind(one, self.known(part, scope), scope)
                case _:
                    self.bind(target, known, scope)
            if keys and isinstance(target, ast.Name):
                scope.keys[target.id] = keys

    def annotation(self, node: ast.AnnAssign, scope: Scope) -> None:
        """Read ``model: Word2Vec = load()``, which has the value's type, or else the annotation's."""
        if node.value is not None:
            self.expression(node.value, scope)
        local = bool(scope.function) and isinstance(node.target, ast.Name)  # never evaluated (PEP 526)
        self.annotations([node.annotation], scope, late=local)
        known = self.known(node.value, scope) if node.value is not None else None
        self.bind(node.target, known or self.annotated(node.annotation, scope), scope)

    def annotations(self, nodes: Iterable[ast.expr], scope: Scope, *, late: bool = False) -> None:
        """Read annotations; those that are not evaluated fail only where something asks for types."""
        late = late or self.late
        self.guarded += late
        self.expressions(nodes, scope)
        self.guarded -= late

    def managed(self, node: ast.With | ast.AsyncWith, scope: Scope) -> None:
        """Read a ``with`` statement; its block may be expected to fail."""
        ready = False
        for item in node.items:
            self.expression(item.context_expr, scope)
            known = self.known(item.context_expr, scope)
            ready = ready or expects_to_fail(
                item.context_expr, known.path.removesuffix(CALLED) if known else ""
            )
            if item.optional_vars is not None:
                self.bind(item.optional_vars, known.guess() if known else None, scope)
        self.guarded += ready
        self.block(node.body, scope)
        self.guarded -= ready

    def tested(self, test: ast.expr, scope: Scope, nodes: Iterable[ast.AST]) -> None:
        """Read nodes that run only under a condition; names that it tests for may be missing."""
        guard = guard_of(test)
        self.guarded += guard.elsewhere
        self.allowed.append(guard.names)
        scope.branches += 1
        for node in nodes:
            if isinstance(node, ast.stmt):
                self.statement(node, scope)
            else:
                self.expression(node, scope)
        scope.branches -= 1
        self.allowed.pop()
        self.guarded -= guard.elsewhere

    def branch(self, scope: Scope, *bodies: Iterable[ast.stmt]) -> None:
        """Read statements that may or may not run."""
        scope.branches += 1
        for body in bodies:
            self.block(body, scope)
        scope.branches -= 1

    def attempt(self, node: ast.Try | ast.TryStar, scope: Scope) -> None:
        """Read a ``try`` statement: a program that is prepared for the failure of a use does not break."""
        ready = ready_to_fail(node)
        self.guarded += ready
        self.branch(scope, node.body)
        self.guarded -= ready
        for handler in node.handlers:
            if handler.type is not None:
                self.expression(handler.type, scope)
            if handler.name:
                scope.bind(handler.name, None)
        self.branch(scope, node.orelse)
        self.guarded += ready  # the handlers may be meant for another release
        self.branch(scope, *(handler.body for handler in node.handlers))
        self.guarded -= ready
        self.block(node.finalbody, scope)

    def bind(self, target: ast.expr, known: Known | None, scope: Scope) -> None:
        """Bind a target of an assignment to a value."""
        match target:
            case ast.Name():
                scope.bind(target.id, known)
                if target.id in scope.shared and known is not None:
                    self.own.shared.setdefault(target.id, known.guess())
            case ast.Attribute(value=ast.Name(id="self")):
                scope.bind(f"self.{target.attr}", known)
                self.own.keep(scope.within, target.attr, known)
            case ast.Attribute() if (known_target := self.known(target, scope)) is not None:
                self.own.patch(known_target.path)
                self.expression(target, scope)
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(key))):
                scope.keys[name] = scope.keys.get(name, frozenset()) | {key}
                self.expression(target, scope)
            case ast.Tuple() | ast.List():
                for element in target.elts:
                    self.bind(element, None, scope)
            case ast.Starred():
                self.bind(target.value, None, scope)
            case _:
                self.expression(target, scope)
