"""Dependencies that a ``setup.py`` states for some interpreters only: ``if sys.version_info < (3,):``.

The egg-info of an sdist holds what the script stated on the interpreter that packed it. What other
interpreters get stands in the script alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from packaging.utils import canonicalize_name

from envlock.analysis.core_metadata import Fields
from envlock.analysis.imports.interpreters import ALWAYS, NEVER, marker_of
from envlock.analysis.requirement_repair import read_requirement
from envlock.analysis.sdists.egg_info import with_condition
from envlock.analysis.syntax_trees import last_name
from envlock.model.markers import is_of_extras

_KEYWORD = "install_requires"
_ADDING = frozenset({"append", "extend"})

_PLAIN: Mapping[str, str] = MappingProxyType({ALWAYS: ""})

Stated = tuple[str, str | None]
"""A requirement, and the marker of the interpreters that get it: empty if the script asks for none, ``None``
if something else decides as well."""


def with_other_interpreters(packed: Fields, script: ast.Module) -> Fields:
    """Return an egg-info's dependencies with those of other interpreters, each under its marker.

    A distribution that the script also names where no interpreter is asked for stays as it was packed.
    """
    stated = [one for one in _Script(script).stated() if _name(one[0])]
    kept = {_name(text) for text, marker in stated if not marker}
    asked = [(text, marker) for text, marker in stated if marker and _name(text) not in kept]
    moved = {_name(text) for text, _ in asked}
    requires = [text for text in packed.requires_dist if _name(text) not in moved or _is_of_extras(text)]
    requires += [
        with_condition(text, "", _PLAIN.get(marker, marker)) for text, marker in asked if marker != NEVER
    ]
    return replace(packed, requires_dist=tuple(requires)) if asked else packed


def _name(text: str) -> str:
    requirement = read_requirement(text)
    return canonicalize_name(requirement.name) if requirement is not None else ""


def _is_of_extras(text: str) -> bool:
    requirement = read_requirement(text)
    return requirement is not None and requirement.marker is not None and is_of_extras(requirement.marker)


class _Script:
    """What one script passes to ``setup`` as dependencies."""

    def __init__(self, script: ast.Module) -> None:
        self._script = script
        self._nodes = list(ast.walk(script))
        self._conditions = {
            node.targets[0].id: node.value
            for node in self._nodes
            if isinstance(node, ast.Assign)
            and len(node.targets) == 1
            and isinstance(node.targets[0], ast.Name)
        }
        self._lists = {_KEYWORD, *self._named(self._passed())}

    def _passed(self) -> Iterator[ast.expr]:
        """Yield what is passed under the keyword, or put under it into a dictionary."""
        for node in self._nodes:
            match node:
                case ast.keyword(arg=arg, value=value) if arg == _KEYWORD:
                    yield value
                case ast.Dict(keys=keys, values=values):
                    yield from (
                        value
                        for key, value in zip(keys, values, strict=True)
                        if isinstance(key, ast.Constant) and key.value == _KEYWORD
                    )

    def _named(self, passed: Iterable[ast.expr]) -> Iterator[str]:
        """Yield the names in what is passed, and those that functions of the script return for it."""
        for value in passed:
            yield from (node.id for node in ast.walk(value) if isinstance(node, ast.Name))
            called = {last_name(node.func) for node in ast.walk(value) if isinstance(node, ast.Call)}
            for body in self._nodes:
                if isinstance(body, ast.FunctionDef) and body.name in called:
                    returned = (node.value for node in ast.walk(body) if isinstance(node, ast.Return))
                    yield from (one.id for one in returned if isinstance(one, ast.Name))

    def stated(self) -> Iterator[Stated]:
        """Yield every requirement that the script puts among its dependencies."""
        for value in self._passed():
            yield from self._texts(value, "")
        yield from self._within(self._script.body, "")

    def _within(self, statements: Iterable[ast.stmt], marker: str | None) -> Iterator[Stated]:
        for statement in statements:
            if isinstance(statement, ast.If):
                yield from self._within(statement.body, self._narrowed(marker, statement.test, taken=True))
                yield from self._within(statement.orelse, self._narrowed(marker, statement.test, taken=False))
            elif isinstance(statement, ast.FunctionDef):
                yield from self._within(statement.body, marker)
            else:
                yield from self._of_statement(statement, marker)

    def _of_statement(self, statement: ast.stmt, marker: str | None) -> Iterator[Stated]:
        match statement:
            case ast.Assign(targets=[target], value=value) | ast.AugAssign(target=target, value=value):
                if self._is_list(target):
                    yield from self._texts(value, marker)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=target, attr=attr), args=[value])):
                if attr in _ADDING and self._is_list(target):
                    yield from self._texts(value, marker)
            case _:  # a loop, a ``try``: whether it adds anything is not known
                for node in ast.walk(statement):
                    if isinstance(node, ast.stmt) and node is not statement:
                        yield from self._of_statement(node, None)

    def _is_list(self, target: ast.expr) -> bool:
        if isinstance(target, ast.Subscript):
            return isinstance(target.slice, ast.Constant) and target.slice.value == _KEYWORD
        return isinstance(target, ast.Name) and target.id in self._lists

    def _texts(self, value: ast.expr, marker: str | None) -> Iterator[Stated]:
        match value:
            case ast.Constant(value=str(text)):
                yield from ((line.strip(), marker) for line in text.splitlines())
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                for part in parts:
                    yield from self._texts(part, marker)
            case ast.BinOp(left=left, right=right):
                yield from self._texts(left, marker)
                yield from self._texts(right, marker)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                yield from self._texts(body, self._narrowed(marker, test, taken=True))
                yield from self._texts(orelse, self._narrowed(marker, test, taken=False))

    def _narrowed(self, marker: str | None, test: ast.expr, *, taken: bool) -> str | None:
        """Return the marker of a branch within what another marker decides already."""
        own = marker_of(test if taken else ast.UnaryOp(op=ast.Not(), operand=test), self._conditions)
        if NEVER in (marker, own):
            return NEVER
        if marker is None or own is None:
            return None
        asked = [one for one in (marker, own) if one not in ("", ALWAYS)]
        return " and ".join(asked) or ALWAYS
