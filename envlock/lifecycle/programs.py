"""Reads a program from its syntax tree: which imported things it uses, where, with which arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import field

from envlock.lifecycle.scopes import Known, Scope
from envlock.lifecycle.uses import CALLED, UNKNOWN, Call, Program, Use
from envlock.model.frozen import dataclass

_FAILING = frozenset({"AttributeError", "ImportError", "ModuleNotFoundError", "TypeError", "Exception"})


def read_program(source: str, file: str) -> Program:
    """What a file uses of what it imports.

    Raises:
        SyntaxError: it is no Python of the release that reads it.
        ValueError: it has a null byte.
    """
    tree, uses, imports = ast.parse(source), list[Use](), set[str]()
    stars = dict.fromkeys(_starred(tree)) or {"": None}
    for star in stars:  # a name can come from each of them
        reader = _Reader(file=file, lines=source.splitlines(), star=Known(star, sure=len(stars) == 1))
        reader.block(tree.body, Scope())
        reader.later()
        uses += reader.uses
        imports |= reader.imports
    uses.sort(key=lambda use: (use.line, use.column, use.path))
    return Program(file=file, uses=tuple(dict.fromkeys(uses)), imports=frozenset(imports))


def _starred(tree: ast.Module) -> Iterator[str]:
    """The modules of which a program imports all public names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (node.module for alias in node.names if alias.name == "*")


_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(slots=True, kw_only=True)
class _Reader:
    file: str
    lines: list[str]
    star: Known
    uses: list[Use] = field(default_factory=list)
    imports: set[str] = field(default_factory=set)
    guarded: int = 0
    waiting: list[tuple[_Function, Scope]] = field(default_factory=list)

    def later(self) -> None:
        """Read the bodies of functions, which run when the names around them have their last values."""
        while self.waiting:
            function, around = self.waiting.pop(0)
            scope = around.inner()
            for argument in _arguments(function.args):
                kind = self.known(argument.annotation, scope) if argument.annotation else None
                guess = Known(f"{kind.path}{CALLED}", sure=False) if kind else None
                named_self = argument.arg in {"self", "cls"}
                scope.names[argument.arg] = guess or (None if named_self else Known(UNKNOWN, sure=False))
            if isinstance(function, ast.Lambda):
                self.expression(function.body, scope)
            else:
                self.block(function.body, scope)
            for name, known in scope.names.items():
                if name.startswith("self.") and known is not None:
                    around.names.setdefault(name, Known(known.path, sure=False))

    def block(self, body: Iterable[ast.stmt], scope: Scope) -> None:
        """Read statements in order."""
        for statement in body:
            self.statement(statement, scope)

    def statement(self, node: ast.stmt, scope: Scope) -> None:
        """Read one statement: those that bind names here, others by what they decide."""
        match node:
            case ast.Import():
                self.plain_import(node, scope)
            case ast.ImportFrom():
                self.import_from(node, scope)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.function(node, scope)
            case ast.ClassDef():
                self.expressions([*node.decorator_list, *node.bases, *node.keywords], scope)
                self.block(node.body, scope.inner())
                scope.bind(node.name, None)
            case ast.Assign():
                self.assign(node.targets, node.value, scope)
            case ast.AnnAssign():
                self.annotated(node, scope)
            case _:
                self.compound(node, scope)

    def compound(self, node: ast.stmt, scope: Scope) -> None:
        """Statements that hold others."""
        match node:
            case ast.If() | ast.While():
                self.expression(node.test, scope)
                self.branch(scope, node.body, node.orelse)
            case ast.For() | ast.AsyncFor():
                self.expression(node.iter, scope)
                self.bind(node.target, Known(UNKNOWN, sure=False), scope)
                self.branch(scope, node.body, node.orelse)
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    self.expression(item.context_expr, scope)
                    if item.optional_vars is not None:
                        self.bind(item.optional_vars, None, scope)
                self.block(node.body, scope)
            case ast.Try() | ast.TryStar():
                self.attempt(node, scope)
            case ast.Match():
                self.expression(node.subject, scope)
                self.branch(scope, *(one.body for one in node.cases))
            case _:
                self.expressions(ast.iter_child_nodes(node), scope)

    def plain_import(self, node: ast.Import, scope: Scope) -> None:
        """``import a.b`` binds ``a``; ``import a.b as c`` binds ``c`` to the inner one."""
        for alias in node.names:
            top = alias.name.partition(".")[0]
            self.imports.add(top)
            self.use(node, alias.name, None, sure=True)
            scope.bind(alias.asname or top, Known(alias.name if alias.asname else top))

    def import_from(self, node: ast.ImportFrom, scope: Scope) -> None:
        """``from a.b import c as d``; relative ones lead into the program itself."""
        if not node.level and node.module:
            self.imports.add(node.module.partition(".")[0])
        for alias in node.names:
            path = "" if node.level or not node.module else f"{node.module}.{alias.name}"
            if alias.name == "*":
                self.use(node, node.module or "", None, sure=True)
                scope.star = self.star if node.module == self.star.path and path else scope.star
                continue
            if path:
                self.use(node, path, None, sure=True)
            scope.bind(alias.asname or alias.name, Known(path) if path else None)

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> None:
        """What a definition itself uses, now; its body, later."""
        self.expressions([*node.decorator_list, node.args, *([node.returns] if node.returns else [])], scope)
        scope.bind(node.name, None)
        self.waiting.append((node, scope))

    def assign(self, targets: Iterable[ast.expr], value: ast.expr, scope: Scope) -> None:
        """Names get what the value leads to."""
        self.expression(value, scope)
        known = self.known(value, scope)
        for target in targets:
            self.bind(target, known, scope)

    def annotated(self, node: ast.AnnAssign, scope: Scope) -> None:
        """``model: Word2Vec = load()`` is of the value's kind, or else of the annotation's."""
        if node.value is not None:
            self.expression(node.value, scope)
        self.expression(node.annotation, scope)
        known = self.known(node.value, scope) if node.value is not None else None
        if known is None and (kind := self.known(node.annotation, scope)) is not None:
            known = Known(f"{kind.path}{CALLED}", sure=False)
        self.bind(node.target, known, scope)

    def branch(self, scope: Scope, *bodies: Iterable[ast.stmt]) -> None:
        """Statements that may run or not."""
        scope.branches += 1
        for body in bodies:
            self.block(body, scope)
        scope.branches -= 1

    def attempt(self, node: ast.Try | ast.TryStar, scope: Scope) -> None:
        """Who is ready for the failure of a use does not fail by it."""
        names = {name for handler in node.handlers for name in _names(handler.type)}
        ready = bool(names & _FAILING) or any(handler.type is None for handler in node.handlers)
        self.guarded += ready
        self.branch(scope, node.body)
        self.guarded -= ready
        for handler in node.handlers:
            if handler.name:
                scope.bind(handler.name, None)
        self.branch(scope, node.orelse, *(handler.body for handler in node.handlers))
        self.block(node.finalbody, scope)

    def bind(self, target: ast.expr, known: Known | None, scope: Scope) -> None:
        """A target of an assignment gets a value."""
        match target:
            case ast.Name():
                scope.bind(target.id, known)
            case ast.Attribute(value=ast.Name(id="self")):
                scope.bind(f"self.{target.attr}", known)
            case ast.Tuple() | ast.List():
                for element in target.elts:
                    self.bind(element, None, scope)
            case ast.Starred():
                self.bind(target.value, None, scope)
            case _:
                self.expression(target, scope)

    def expressions(self, nodes: Iterable[ast.AST], scope: Scope) -> None:
        """Read the expressions among some nodes."""
        for node in nodes:
            self.expression(node, scope)

    def expression(self, node: ast.AST, scope: Scope) -> None:
        """Note what an expression uses, and what its parts do."""
        match node:
            case ast.Lambda():
                self.waiting.append((node, scope))
                return
            case ast.NamedExpr():
                self.assign([node.target], node.value, scope)
                return
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                scope = scope.inner()
                for one in node.generators:
                    self.bind(one.target, Known(UNKNOWN, sure=False), scope)
            case ast.Call() if (known := self.known(node.func, scope)) is not None:
                self.use(node, known.path, _call(node), sure=known.sure)
                self.expressions([*node.args, *node.keywords], scope)
                self.parts(node.func, scope)
                return
            case ast.Name() if (known := scope.look_up(node.id)) is not None:
                if CALLED not in known.path and known.path != UNKNOWN:  # what made it was noted there
                    self.use(node, known.path, None, sure=known.sure)
                return
            case ast.Attribute() if (known := self.known(node, scope)) is not None:
                self.use(node, known.path, None, sure=known.sure)
                self.parts(node, scope)
                return
            case ast.Subscript() if (known := self.known(node.value, scope)) and known.path.endswith(CALLED):
                self.use(node, f"{known.path}.__getitem__", None, sure=known.sure)
        self.expressions(ast.iter_child_nodes(node), scope)

    def parts(self, node: ast.expr, scope: Scope) -> None:
        """What stands in the middle of a chain: calls, with their arguments."""
        while isinstance(node, ast.Attribute):
            node = node.value
        if not isinstance(node, ast.Name):
            self.expression(node, scope)

    def known(self, node: ast.expr | None, scope: Scope) -> Known | None:
        """What an expression leads to."""
        match node:
            case ast.Name():
                return scope.look_up(node.id)
            case ast.Attribute(value=ast.Name(id="self")) if f"self.{node.attr}" in scope.names:
                return scope.names[f"self.{node.attr}"]
            case ast.Attribute():
                owner = self.known(node.value, scope)
                return Known(f"{owner.path}.{node.attr}", owner.sure) if owner else None
            case ast.Call():
                made = self.known(node.func, scope)
                return Known(f"{made.path}{CALLED}", made.sure) if made else None
        return None

    def use(self, node: ast.stmt | ast.expr, path: str, call: Call | None, *, sure: bool) -> None:
        """Note a use."""
        line = self.lines[node.lineno - 1] if node.lineno <= len(self.lines) else ""
        text = ast.unparse(node) if isinstance(node, ast.expr) else line.strip()
        self.uses.append(
            Use(
                file=self.file,
                line=node.lineno,
                column=node.col_offset + 1,
                text=" ".join(text.split()),
                path=path,
                call=call,
                sure=sure and not self.guarded,
            )
        )


def _arguments(arguments: ast.arguments) -> Iterator[ast.arg]:
    yield from (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    yield from (one for one in (arguments.vararg, arguments.kwarg) if one is not None)


def _names(node: ast.expr | None) -> Iterator[str]:
    if node is not None:
        yield from (part.id for part in ast.walk(node) if isinstance(part, ast.Name))


def _call(node: ast.Call) -> Call:
    return Call(
        positional=sum(not isinstance(one, ast.Starred) for one in node.args),
        keywords=frozenset(one.arg for one in node.keywords if one.arg is not None),
        spread=any(isinstance(one, ast.Starred) for one in node.args)
        or any(one.arg is None for one in node.keywords),
    )
