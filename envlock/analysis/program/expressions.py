"""What a program's expressions use of its imports, and where they lead."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import field

from envlock.analysis.program.own_code import is_own
from envlock.analysis.program.paths import PARTIAL, Paths
from envlock.analysis.program.scopes import Known, Scope
from envlock.analysis.program.uses import CALLED, UNKNOWN, Call, Use
from envlock.model.frozen import dataclass


@dataclass(slots=True, kw_only=True)
class Expressions(Paths, ABC):
    """Reads expressions, and keeps the uses that it finds.

    Attributes:
        file: the program's file.
        lines: its lines.
        uses: the uses found.
        guarded: how many enclosing statements are prepared for a failure.
        allowed: names that are tested for before they are used, innermost last.
        lambdas: functions to read once the names around them have their final values.
    """

    file: str
    lines: list[str]
    uses: list[Use] = field(default_factory=list)
    guarded: int = 0
    allowed: list[frozenset[str]] = field(default_factory=list)
    lambdas: list[tuple[ast.Lambda, Scope]] = field(default_factory=list)

    def expressions(self, nodes: Iterable[ast.AST], scope: Scope) -> None:
        """Read the expressions among some nodes."""
        for node in nodes:
            self.expression(node, scope)

    def expression(self, node: ast.AST, scope: Scope) -> None:
        """Note what an expression and its parts use."""
        match node:
            case ast.Lambda():
                self.expressions(defaults_of(node.args), scope)
                self.lambdas.append((node, scope))
            case ast.Call():
                self.call(node, scope)
            case ast.NamedExpr():
                self.expression(node.value, scope)
                self.bind(node.target, self.known(node.value, scope), scope)
            case ast.IfExp():
                self.expression(node.test, scope)
                self.tested(node.test, scope, [node.body, node.orelse])
            case ast.Name() | ast.Attribute() if (known := self.known(node, scope)) is not None:
                self.name(node, known, scope)
            case _:
                self.whole(node, scope)

    def name(self, node: ast.Name | ast.Attribute, known: Known, scope: Scope) -> None:
        """Note the use of a name that leads somewhere, or of an attribute."""
        if isinstance(node, ast.Attribute):
            self.use(node, known.path, None, sure=known.sure)
            self.parts(node, scope)
        elif CALLED not in known.path and known.path != UNKNOWN:  # the call that made it was noted there
            self.use(node, known.path, None, sure=known.sure)

    def whole(self, node: ast.AST, scope: Scope) -> None:
        """Read an expression whose parts count, and note what Python itself calls on them."""
        match node:
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                scope = scope.inner(function=scope.function)
                for generator in node.generators:
                    self.bind(generator.target, self.element(generator.iter, scope), scope)
            case ast.Subscript():
                self.special(node, node.value, "__getitem__", scope)
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[holder]):
                self.special(node, holder, "__contains__", scope)
        self.expressions(ast.iter_child_nodes(node), scope)

    def special(self, node: ast.expr, owner: ast.expr, method: str, scope: Scope) -> None:
        """Note the method that Python calls for an operator."""
        known = self.known(owner, scope)
        if known is not None and known.path.endswith(CALLED):
            self.use(node, f"{known.path}.{method}", None, sure=known.sure)

    @abstractmethod
    def tested(self, test: ast.expr, scope: Scope, nodes: Iterable[ast.AST]) -> None:
        """Read nodes that run only under a condition."""

    @abstractmethod
    def bind(self, target: ast.expr, known: Known | None, scope: Scope) -> None:
        """Bind a target of an assignment to a value."""

    def call(self, node: ast.Call, scope: Scope) -> None:
        """Read a call, which uses a name or passes arguments to an own function."""
        known = self.known(node.func, scope)
        if known is not None and any(_gathers(keyword, scope) for keyword in node.keywords):
            self.own.passes_on.setdefault(scope.function, {})[self.own.called(known.path)] = None
        if known is not None and is_own(known.path):
            self.own_call(node, known.path, scope)
        elif known is not None and known.path == PARTIAL and node.args:
            self.partial(node, scope)
        elif known is not None:
            self.use(node, known.path, *self.arguments(node, known, scope))
        elif (named := self.named_attribute(node, scope)) is not None:
            self.use(node, named.path, None, sure=named.sure)
        elif (assigned := self.assigned_attribute(node, scope)) is not None:
            self.own.patch(assigned.path)
        self.expressions([*node.args, *node.keywords], scope)
        self.parts(node.func, scope) if known is not None else self.expression(node.func, scope)

    def own_call(self, node: ast.Call, path: str, scope: Scope) -> None:
        """Read a call of the program's own definition: a class may be constructed as its base is."""
        made = self.own.classes.get(path)
        if made is not None and made.made_by_base and made.base is not None:
            self.use(node, made.base.path, *self.arguments(node, made.base, scope))
        path = self.own.called(path)
        further = {
            keyword.arg for keyword in node.keywords if keyword.arg is not None
        } - self.own.accepts.get(path, set())
        for receiver in self.own.receivers(path) if further else ():
            call = Call(positional=0, keywords=frozenset(further), spread=True, constants=constants_of(node))
            self.use(node, receiver, call, sure=False)
        for place, value in enumerate(node.args):
            self.own.give(path, place, self.known(value, scope))
        for keyword in node.keywords:
            self.own.give(path, keyword.arg or "", self.known(keyword.value, scope))

    def partial(self, node: ast.Call, scope: Scope) -> None:
        """Read ``functools.partial(f, x=1)``, which calls ``f`` with more arguments than can be seen."""
        known = self.known(node.args[0], scope)
        if known is not None and not is_own(known.path):
            inner = ast.Call(func=node.args[0], args=node.args[1:], keywords=node.keywords)
            call, sure = self.arguments(ast.copy_location(inner, node), known, scope)
            self.use(
                node, known.path, Call(positional=call.positional, keywords=call.keywords, spread=True), sure
            )

    def arguments(self, node: ast.Call, known: Known, scope: Scope) -> tuple[Call, bool]:
        """Return a call's arguments, and whether they are certain: a dictionary may be changed before."""
        keywords = {keyword.arg for keyword in node.keywords if keyword.arg is not None}
        spread = any(isinstance(argument, ast.Starred) for argument in node.args)
        seen = frozenset[str]()
        for keyword in node.keywords:
            if keyword.arg is None:
                spread, seen = True, seen | self.keys(keyword.value, scope)
        call = Call(
            positional=sum(not isinstance(argument, ast.Starred) for argument in node.args),
            keywords=frozenset(keywords) | seen,
            spread=spread,
            constants=constants_of(node),
        )
        return call, known.sure and not seen

    def keys(self, node: ast.expr, scope: Scope) -> frozenset[str]:
        """Return the keys that are written where a dictionary is made."""
        match node:
            case ast.Name():
                return scope.keys.get(node.id, frozenset())
            case ast.Dict():
                texts = (key.value for key in node.keys if isinstance(key, ast.Constant))
                return frozenset(text for text in texts if isinstance(text, str))
            case ast.Call(func=ast.Name(id="dict")):
                return frozenset(keyword.arg for keyword in node.keywords if keyword.arg is not None)
        return frozenset()

    def parts(self, node: ast.expr, scope: Scope) -> None:
        """Read what is in the middle of a chain: calls, with their arguments."""
        while isinstance(node, ast.Attribute):
            node = node.value
        if not isinstance(node, ast.Name):
            self.expression(node, scope)

    def use(self, node: ast.stmt | ast.expr, path: str, call: Call | None, sure: bool) -> None:  # noqa: FBT001
        """Note a use, unless the program itself defines or assigns the name, or has tested for it."""
        if is_own(path) or self.own.patches(path):
            return
        if any(not names.isdisjoint(_names_in(path)) for names in self.allowed):
            return
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


def _gathers(keyword: ast.keyword, scope: Scope) -> bool:
    """Whether a call passes on all further arguments that the function around it takes by name."""
    match keyword:
        case ast.keyword(arg=None, value=ast.Name(id=name)):
            return name == scope.gathering
    return False


def constants_of(node: ast.Call) -> frozenset[str]:
    """Return the arguments by name whose values are written there, as Python writes them."""
    given = [
        keyword
        for keyword in node.keywords
        if keyword.arg is not None and isinstance(keyword.value, ast.Constant)
    ]
    return frozenset(f"{keyword.arg}={ast.unparse(keyword.value)}" for keyword in given)


def _names_in(path: str) -> Iterator[str]:
    return iter(path.replace(CALLED, "").split("."))


def defaults_of(arguments: ast.arguments) -> Iterator[ast.expr]:
    """Yield what is evaluated where a function is defined: the defaults of its parameters."""
    yield from arguments.defaults
    yield from (default for default in arguments.kw_defaults if default is not None)


def annotations_of(arguments: ast.arguments) -> Iterator[ast.expr]:
    """Yield the annotations of a function's parameters."""
    spread = [argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None]
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *spread):
        if argument.annotation is not None:
            yield argument.annotation
