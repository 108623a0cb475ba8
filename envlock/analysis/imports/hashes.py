"""Dataclasses whose objects have no hash, and so cannot be a field's default since Python 3.11."""

from __future__ import annotations

import ast
import re
from typing import TypeGuard

from envlock.analysis.syntax_trees import bound_in_class

UNHASHABLE_DEFAULT = "dataclasses.unhashable_default"
"""Stands for an unhashable default of a dataclass's field, as if it were a name that is read."""

_NO_FIELD = re.compile(r"\b(ClassVar|InitVar)\b")
"""Found in annotations of what ``dataclass`` makes no field of."""


def loses_hash(owner: ast.ClassDef) -> bool:
    """Whether ``dataclass`` surely leaves objects of a class, compared by value, without a hash."""
    if "__hash__" in bound_in_class(owner):
        return False
    calls = [decorator for decorator in owner.decorator_list if isinstance(decorator, ast.Call)]
    given = {keyword.arg: keyword.value for call in calls for keyword in call.keywords}
    return all(
        isinstance(value, ast.Constant) and bool(value.value) is (name == "eq")
        for name, value in given.items()
        if name in {None, "eq", "frozen", "unsafe_hash"}
    )


def checks_default(statement: ast.stmt) -> TypeGuard[ast.AnnAssign]:
    """Whether a statement in the body of a dataclass makes a field, whose default has to have a hash."""
    return isinstance(statement, ast.AnnAssign) and not _NO_FIELD.search(ast.unparse(statement.annotation))
