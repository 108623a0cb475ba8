"""What a program's expressions use of its imports, and where they lead."""

from __future__ import annotations

import ast
import contextlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import field

from envlock.lifecycle.program.own_code import OwnCode, is_own
from envlock.lifecycle.program.scopes import Known, Scope
from envlock.lifecycle.program.uses import CALLED, UNKNOWN, Call, Use
from envlock.model.frozen import dataclass

_PARTIAL = "functools.partial"
_IMPORT = "importlib.import_module"


@dataclass(slots=True, kw_only=True)
class Expressions(ABC):
    """Reads expressions, and keeps the uses that it finds.

    Attributes:
        file: the program's file.
        lines: its lines.
        own: what is known of the program's own definitions.
        uses: the uses found.
        guarded: how many enclosing statements are prepared for a failure.
        allowed: names that are tested for before they are used, innermost last.
        lambdas: functions to read once the names around them have their final values.
    """

    file: str
    lines: list[str]
    own: OwnCode
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
                for one in node.generators:
                    self.bind(one.target, self.element(one.iter, scope), scope)
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
        if known is not None and is_own(known.path):
            self.own_call(node, known.path, scope)
        elif known is not None and known.path == _PARTIAL and node.args:
            self.partial(node, scope)
        elif known is not None:
            self.use(node, known.path, *self.arguments(node, known, scope))
        elif (named := self.named_attribute(node, scope)) is not None:
            self.use(node, named.path, None, sure=named.sure)
        self.expressions([*node.args, *node.keywords], scope)
        self.parts(node.func, scope) if known is not None else self.expression(node.func, scope)

    def own_call(self, node: ast.Call, path: str, scope: Scope) -> None:
        """Read a call of the program's own definition: a class may be constructed as its base is."""
        made = self.own.classes.get(path)
        if made is not None and made.made_by_base and made.base is not None:
            self.use(node, made.base.path, *self.arguments(node, made.base, scope))
        elif made is not None:
            path = made.methods.get("__init__", path)
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
        keywords = {one.arg for one in node.keywords if one.arg is not None}
        spread = any(isinstance(one, ast.Starred) for one in node.args)
        seen = frozenset[str]()
        for one in node.keywords:
            if one.arg is None:
                spread, seen = True, seen | self.keys(one.value, scope)
        call = Call(
            positional=sum(not isinstance(one, ast.Starred) for one in node.args),
            keywords=frozenset(keywords) | seen,
            spread=spread,
        )
        return call, known.sure and not seen

    def keys(self, node: ast.expr, scope: Scope) -> frozenset[str]:
        """Return the keys that are written where a dictionary is made."""
        match node:
            case ast.Name():
                return scope.keys.get(node.id, frozenset())
            case ast.Dict():
                texts = (one.value for one in node.keys if isinstance(one, ast.Constant))
                return frozenset(text for text in texts if isinstance(text, str))
            case ast.Call(func=ast.Name(id="dict")):
                return frozenset(one.arg for one in node.keywords if one.arg is not None)
        return frozenset()

    def parts(self, node: ast.expr, scope: Scope) -> None:
        """Read what is in the middle of a chain: calls, with their arguments."""
        while isinstance(node, ast.Attribute):
            node = node.value
        if not isinstance(node, ast.Name):
            self.expression(node, scope)

    def known(self, node: ast.expr | None, scope: Scope) -> Known | None:
        """Return what an expression leads to."""
        found: Known | None = None
        match node:
            case ast.Name():
                found = scope.look_up(node.id)
            case ast.Attribute(value=ast.Name(id="self")) if f"self.{node.attr}" in scope.names:
                found = scope.names[f"self.{node.attr}"]
            case ast.Attribute():
                found = self.attribute(self.known(node.value, scope), node.attr)
            case ast.Call():
                found = self.called(node, scope)
            case ast.Subscript():
                found = self.item(self.known(node.value, scope))
            case ast.IfExp():
                found = self.either([node.body, node.orelse], scope)
            case ast.BoolOp():
                found = self.either(node.values, scope)
            case ast.Await() | ast.NamedExpr():
                found = self.known(node.value, scope)
        return found

    def attribute(self, owner: Known | None, name: str) -> Known | None:
        """Return what an attribute leads to."""
        if owner is None:
            return None
        if is_own(owner.path):
            return self.own.attribute(owner.path, name)
        return Known(f"{owner.path}.{name}", owner.sure)

    def called(self, node: ast.Call, scope: Scope) -> Known | None:
        """Return what the result of a call leads to."""
        match node.func:
            case ast.Name(id="super") if scope.within in self.own.classes:
                base = self.own.classes[scope.within].base
                return Known(f"{base.path}{CALLED}", base.sure) if base else None
        made = self.known(node.func, scope)
        if made is None:
            return self.named_attribute(node, scope)
        if is_own(made.path):
            return self.own.result(made.path)
        match node.args:
            case [first, *_] if made.path == _PARTIAL:
                return self.known(first, scope)
            case [ast.Constant(value=str(module))] if made.path == _IMPORT:
                return Known(module, made.sure)
        return Known(f"{made.path}{CALLED}", made.sure)

    def named_attribute(self, node: ast.Call, scope: Scope) -> Known | None:
        """Return what ``getattr(x, "name")``, without a default, leads to."""
        match node:
            case ast.Call(func=ast.Name(id="getattr"), args=[owner, ast.Constant(value=str(name))]):
                return self.attribute(self.known(owner, scope), name)
        return None

    def item(self, owner: Known | None) -> Known | None:
        """Return what an item of something leads to: unknown, unless its class tells."""
        if owner is not None and owner.path.endswith(CALLED) and not is_own(owner.path):
            return Known(f"{owner.path}.__getitem__{CALLED}", sure=False)
        return Known(UNKNOWN, sure=False)

    def element(self, node: ast.expr, scope: Scope) -> Known:
        """Return what a loop over something yields."""
        known = self.either(node.elts, scope) if isinstance(node, ast.List | ast.Tuple) else None
        return known or Known(UNKNOWN, sure=False)

    def either(self, nodes: Iterable[ast.expr], scope: Scope) -> Known | None:
        """Return the first of several alternatives that leads somewhere; certain if all lead there."""
        found = [self.known(node, scope) for node in nodes]
        first = next((one for one in found if one is not None and one.path != UNKNOWN), None)
        same = all(one is not None and first is not None and one.path == first.path for one in found)
        return Known(first.path, first.sure and same) if first else None

    def annotated(self, node: ast.expr | None, scope: Scope) -> Known | None:
        """Return an instance of what an annotation names; ``Optional[W]`` and ``W | None`` mean ``W``."""
        match node:
            case ast.Constant(value=str(text)):
                with contextlib.suppress(SyntaxError):
                    return self.annotated(ast.parse(text, mode="eval").body, scope)
            case ast.BinOp(op=ast.BitOr()):
                return self.annotated(node.left, scope) or self.annotated(node.right, scope)
            case ast.Subscript(value=ast.Name(id="Optional") | ast.Attribute(attr="Optional")):
                return self.annotated(node.slice, scope)
            case ast.Name() | ast.Attribute():
                return self.instance(self.known(node, scope))
        return None

    def instance(self, kind: Known | None) -> Known | None:
        """Return an instance of a class."""
        if kind is None or kind.path == UNKNOWN:
            return None
        return self.own.result(kind.path) if is_own(kind.path) else Known(f"{kind.path}{CALLED}", sure=False)

    def use(self, node: ast.stmt | ast.expr, path: str, call: Call | None, sure: bool) -> None:  # noqa: FBT001
        """Note a use, unless the program itself defines the name or has tested for it."""
        if is_own(path) or any(not names.isdisjoint(_names_in(path)) for names in self.allowed):
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


def _names_in(path: str) -> Iterator[str]:
    return iter(path.replace(CALLED, "").split("."))
