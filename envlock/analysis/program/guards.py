"""Tests by which a program is prepared for a missing name."""

from __future__ import annotations

import ast

from envlock.model.frozen import dataclass

_FAILING = frozenset({"AttributeError", "ImportError", "ModuleNotFoundError", "TypeError", "Exception"})
_TYPES = "TYPE_CHECKING"
"""True for type checkers, and false at run time (``typing``)."""
_EXPECTING = frozenset({"contextlib.suppress", "pytest.raises"})
"""Context managers that take the exceptions in which their block may end."""


@dataclass(frozen=True, slots=True)
class Guard:
    """What a condition asks about.

    Attributes:
        names: attributes that are tested for existence.
        elsewhere: whether the branch may be meant for another release, as some version is tested, or is for
            type checkers alone.
    """

    names: frozenset[str]
    elsewhere: bool


def guard_of(test: ast.expr) -> Guard:
    """Read a condition."""
    names, elsewhere = set[str](), False
    for node in ast.walk(test):
        match node:
            case ast.Call(func=ast.Name(id="hasattr"), args=[_, ast.Constant(value=str(name))]):
                names.add(name)
            case ast.Attribute(attr=name) | ast.Name(id=name):
                elsewhere = elsewhere or "version" in name.lower() or name == _TYPES
    return Guard(frozenset(names), elsewhere)


def ready_to_fail(node: ast.Try | ast.TryStar) -> bool:
    """Whether a statement catches what a missing name or argument raises."""
    named = {
        part.id
        for handler in node.handlers
        for part in ast.walk(handler.type or ast.Pass())
        if isinstance(part, ast.Name)
    }
    return bool(named & _FAILING) or any(handler.type is None for handler in node.handlers)


def expects_to_fail(manager: ast.expr, path: str) -> bool:
    """Whether a context manager, which leads to a path, lets its block end in what a missing name raises."""
    if not isinstance(manager, ast.Call) or path not in _EXPECTING:
        return False
    named = {
        part.id for argument in manager.args for part in ast.walk(argument) if isinstance(part, ast.Name)
    }
    return bool(named & _FAILING)
