"""Where the expressions of a program lead."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import replace

from envlock.analysis.program.own_code import Function, OwnCode, is_own
from envlock.analysis.program.scopes import Known, Scope
from envlock.analysis.program.uses import CALLED, UNKNOWN
from envlock.analysis.syntax_trees import parsed_expression
from envlock.model.frozen import dataclass

PARTIAL = "functools.partial"
_IMPORT = "importlib.import_module"


@dataclass(slots=True, kw_only=True)
class Paths:
    """Follows expressions to what they lead to; nothing is noted.

    Attributes:
        own: what is known of the program's own definitions.
    """

    own: OwnCode

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
            case _:
                found = self.container(node, scope)
        return found

    def container(self, node: ast.expr | None, scope: Scope) -> Known | None:
        """Return what a list, a comprehension or a dictionary is, if its items lead somewhere."""
        item: Known | None = None
        match node:
            case ast.List() | ast.Tuple() | ast.Set():
                item = self.either(node.elts, scope)
            case ast.Dict():
                item = self.either(node.values, scope)
            case ast.ListComp(elt=value) | ast.SetComp(elt=value) | ast.GeneratorExp(elt=value):
                item = self.known(value, self.comprehension(node.generators, scope))
            case ast.DictComp():
                item = self.known(node.value, self.comprehension(node.generators, scope))
        return Known(UNKNOWN, sure=False, item=item.guess()) if item is not None else None

    def comprehension(self, generators: Iterable[ast.comprehension], scope: Scope) -> Scope:
        """Return the scope of a comprehension, in which its loops bind their names."""
        scope = scope.inner(function=scope.function)
        for generator in generators:
            if isinstance(generator.target, ast.Name):
                scope.names[generator.target.id] = self.element(generator.iter, scope)
        return scope

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
            case [first, *_] if made.path == PARTIAL:
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

    def assigned_attribute(self, node: ast.Call, scope: Scope) -> Known | None:
        """Return what ``setattr(x, "name", value)`` assigns to."""
        match node:
            case ast.Call(func=ast.Name(id="setattr"), args=[owner, ast.Constant(value=str(name)), _]):
                return self.attribute(self.known(owner, scope), name)
        return None

    def item(self, owner: Known | None) -> Known | None:
        """Return what an item of something leads to: unknown, unless its class tells."""
        if owner is not None and owner.item is not None:
            return owner.item
        if owner is not None and owner.path.endswith(CALLED) and not is_own(owner.path):
            return Known(f"{owner.path}.__getitem__{CALLED}", sure=False)
        return Known(UNKNOWN, sure=False)

    def element(self, node: ast.expr, scope: Scope) -> Known:
        """Return what a loop over something yields."""
        if isinstance(node, ast.List | ast.Tuple):
            return self.either(node.elts, scope) or Known(UNKNOWN, sure=False)
        known = self.known(node, scope)
        if known is not None and known.item is not None:
            return known.item
        if known is not None and CALLED in known.path and not is_own(known.path):
            return Known(f"{known.path}.__iter__{CALLED}", sure=False)
        return Known(UNKNOWN, sure=False)

    def either(self, nodes: Iterable[ast.expr], scope: Scope) -> Known | None:
        """Return the first of several alternatives that leads somewhere; certain if all lead there."""
        found = [self.known(node, scope) for node in nodes]
        somewhere = (known for known in found if known is not None and (known.path != UNKNOWN or known.item))
        first = next(somewhere, None)
        same = all(known is not None and first is not None and known.path == first.path for known in found)
        return replace(first, sure=first.sure and same) if first else None

    def annotated(self, node: ast.expr | None, scope: Scope) -> Known | None:
        """Return an instance of what an annotation names; ``Optional[W]`` and ``W | None`` mean ``W``."""
        match node:
            case ast.Constant(value=str(text)):
                with contextlib.suppress(SyntaxError, ValueError):
                    return self.annotated(parsed_expression(text), scope)
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

    def parameters(self, function: Function, path: str, scope: Scope) -> Iterator[tuple[str, Known | None]]:
        """Yield what parameters lead to: by annotation, else by an argument of some call, else by default."""
        listed = [*function.args.posonlyargs, *function.args.args]
        defaults = dict(
            zip(
                (argument.arg for argument in reversed(listed)),
                reversed(function.args.defaults),
                strict=False,
            )
        )
        named = zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
        defaults |= {one.arg: value for one, value in named if value is not None}
        method = bool(listed) and listed[0].arg in {"self", "cls"}
        for place, one in enumerate((*listed, *function.args.kwonlyargs)):
            if method and place == 0:
                called = CALLED if one.arg == "self" else ""
                yield one.arg, Known(f"{scope.within}{called}", sure=False) if scope.within else None
                continue
            known = (
                self.annotated(one.annotation, scope)
                or self.own.given.get((path, place - method))
                or self.own.given.get((path, one.arg))
                or self.known(defaults.get(one.arg), scope)
            )
            yield one.arg, known.guess() if known else Known(UNKNOWN, sure=False)
        for spread in (function.args.vararg, function.args.kwarg):
            if spread is not None:
                yield spread.arg, Known(UNKNOWN, sure=False)
