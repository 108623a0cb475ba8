"""Tests by which a program is prepared for a missing name."""

from __future__ import annotations

import ast

from envlock.model.frozen import dataclass

_FAILING = frozenset({"AttributeError", "ImportError", "ModuleNotFoundError", "TypeError", "Exception"})


@dataclass(frozen=True, slots=True)
class Guard:
    """What a condition asks about.

    Attributes:
        names: attributes that are tested for existence.
        version: whether some version is tested, so that the branch may be meant for another release.
    """

    names: frozenset[str]
    version: bool


def guard_of(test: ast.expr) -> Guard:
    """Read a condition."""
    names, version = set[str](), False
    for node in ast.walk(test):
        match node:
            case ast.Call(func=ast.Name(id="hasattr"), args=[_, ast.Constant(value=str(name))]):
                names.add(name)
            case ast.Attribute(attr=name) | ast.Name(id=name):
                version = version or "version" in name.lower()
    return Guard(frozenset(names), version)


def ready_to_fail(node: ast.Try | ast.TryStar) -> bool:
    """Whether a statement catches what a missing name or argument raises."""
    named = {
        part.id
        for handler in node.handlers
        for part in ast.walk(handler.type or ast.Pass())
        if isinstance(part, ast.Name)
    }
    return bool(named & _FAILING) or any(handler.type is None for handler in node.handlers)
