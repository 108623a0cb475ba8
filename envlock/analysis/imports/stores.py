"""Attributes that a module sets (``np.float = float``): whoever makes a name does not miss it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
"""Fields in which statements hold others."""


def stored_attributes(tree: ast.Module, source: str) -> set[str]:
    """Return the attributes that a module sets anywhere on what may be a module: not ``self`` or ``cls``.

    Only targets of statements are read: to walk all expressions takes longer than to parse them.

    Args:
        tree: the module.
        source: what it was parsed from.
    """
    blocks: list[ast.AST] = [tree]
    for block in blocks:
        for name in _BLOCKS:
            blocks += getattr(block, name, ())
    targets = [
        attribute for block in blocks for target in _targets(block) for attribute in _attributes(target)
    ]
    stored = {target.attr for target in targets if not _is_self(target.value)}
    return stored | (_set_by_name(tree) if "setattr" in source else set())


def _targets(statement: ast.AST) -> Iterator[ast.expr]:
    """Yield the targets of a statement."""
    match statement:
        case ast.Assign():
            yield from statement.targets
        case ast.AugAssign() | ast.AnnAssign() | ast.For() | ast.AsyncFor():
            yield statement.target
        case ast.With() | ast.AsyncWith():
            yield from (item.optional_vars for item in statement.items if item.optional_vars is not None)


def _attributes(target: ast.expr) -> Iterator[ast.Attribute]:
    """Yield the attributes in a target, including those in a list or a tuple."""
    match target:
        case ast.Attribute():
            yield target
        case ast.Starred():
            yield from _attributes(target.value)
        case ast.List() | ast.Tuple():
            for part in target.elts:
                yield from _attributes(part)


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in {"self", "cls"}


def _set_by_name(tree: ast.Module) -> set[str]:
    """Return what ``setattr`` sets under a literal name."""
    stored = set()
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and len(node.args) > 1)
    for call in calls:
        if isinstance(call.func, ast.Name) and call.func.id == "setattr":
            named = call.args[1]
            if isinstance(named, ast.Constant) and isinstance(named.value, str):
                stored.add(named.value)
    return stored
