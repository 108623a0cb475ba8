"""The parameters of dataclasses: their fields, and those of their base dataclasses."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envlock.analysis.functions.calls import Parameters
from envlock.analysis.functions.definitions import Definition, Definitions

_DATACLASS = "dataclasses.dataclass"


def is_dataclass(owner: ast.ClassDef, module: str, definitions: Definitions) -> bool:
    """Whether only the standard library's decorator makes the ``__init__`` of a class."""
    if len(owner.decorator_list) != 1:
        return False
    (only,) = owner.decorator_list
    called = only.func if isinstance(only, ast.Call) else only
    said = {keyword.arg: keyword.value for keyword in only.keywords} if isinstance(only, ast.Call) else {}
    is_made = definitions.target(module, called) == _DATACLASS
    return is_made and set(said) <= {"frozen", "order", "eq", "repr", "unsafe_hash", "slots"}


def dataclass_parameters(found: Definition, definitions: Definitions) -> Parameters | None:
    """Return the names of the fields; ``None`` if a base is not certain.

    Positions and defaults are left open, because ``field`` may say more than is written there.
    """
    names: set[str] = set()
    queue = [found]
    while queue:
        one = queue.pop()
        owner = one.node
        if not isinstance(owner, ast.ClassDef) or one.inside or _has_own(owner):
            return None
        if is_dataclass(owner, one.module, definitions):
            names.update(_fields(owner))
        elif owner.decorator_list:
            return None
        for base in owner.bases:
            target = definitions.target(one.module, base)
            if ast.unparse(base) == "object" or target == "abc.ABC":
                continue
            of_it = definitions.of(target) if target else None
            if of_it is None:
                return None
            queue.append(of_it)
    return Parameters((), 0, frozenset(names), frozenset(), takes_more=True, takes_any=False)


def _has_own(owner: ast.ClassDef) -> bool:
    return any(
        isinstance(statement, ast.FunctionDef) and statement.name in {"__init__", "__new__"}
        for statement in owner.body
    )


def _fields(owner: ast.ClassDef) -> Iterator[str]:
    for statement in owner.body:
        is_field = isinstance(statement, ast.AnnAssign) and "ClassVar" not in ast.unparse(
            statement.annotation
        )
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and is_field:
            yield statement.target.id
