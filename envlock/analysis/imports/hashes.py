"""Dataclasses whose objects have no hash, and so cannot be a field's default since Python 3.11."""

from __future__ import annotations

import ast

UNHASHABLE_DEFAULT = "dataclasses.unhashable_default"
"""Stands for an unhashable default of a dataclass's field, as if it were a name that is read."""


def keeps_hash(node: ast.AST) -> bool:
    """Whether this argument of ``dataclass``, or part of the class, lets objects keep a hash."""
    if isinstance(node, ast.FunctionDef):
        return node.name == "__hash__"
    named = {one.arg: one.value for one in node.keywords} if isinstance(node, ast.Call) else {}
    said = {name: one.value for name, one in named.items() if isinstance(one, ast.Constant)}
    return bool(said.get("frozen") or said.get("unsafe_hash") or said.get("eq") is False)
