"""Conditions with one answer on every interpreter: ``if sys.version_info >= (3, 5):``, ``six.PY3``."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from envlock.model.component import parse_version

_LATER = tuple((3, minor, micro, "final", 0) for minor in range(6, 40) for micro in (0, 99))
"""Possible values of ``sys.version_info``, from the oldest supported interpreter on."""

_ASKED = r"(?:sys\.)?version_info(\[0\]|\.major|\[:\d\])?"

COMPARISONS: Mapping[type[ast.cmpop], Callable[[Any, Any], object]] = MappingProxyType(
    {
        ast.Eq: operator.eq,
        ast.NotEq: operator.ne,
        ast.Lt: operator.lt,
        ast.LtE: operator.le,
        ast.Gt: operator.gt,
        ast.GtE: operator.ge,
        ast.In: lambda one, many: one in many,
        ast.NotIn: lambda one, many: one not in many,
        ast.Is: operator.is_,
        ast.IsNot: operator.is_not,
    }
)
"""The functions of the comparison operators in a syntax tree."""


def puts_off_annotations(python: str) -> bool:
    """Whether an interpreter evaluates annotations only on demand (PEP 649); for an empty one, no."""
    return bool(python) and parse_version(python).release >= (3, 14)


def answer(test: ast.expr, known: Mapping[str, bool]) -> bool | None:
    """Whether a condition holds on all interpreters, or on none; ``None`` for every other condition.

    Args:
        test: the condition.
        known: the answers that the module's names stand for (``PY35 = sys.version_info >= (3, 5)``).
    """
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inside = answer(test.operand, known)
        return None if inside is None else not inside
    if isinstance(test, ast.Name) and test.id in known:
        return known[test.id]
    if isinstance(test, ast.Attribute) and ast.unparse(test) in {"six.PY2", "six.PY3"}:
        return test.attr == "PY3"
    return compared(test) if isinstance(test, ast.Compare) else None


def compared(test: ast.Compare) -> bool | None:
    """Like ``answer``, for a comparison: ``sys.version_info[0] == 2`` and the like."""
    if len(test.ops) > 1:
        return None
    asked = re.fullmatch(_ASKED, ast.unparse(test.left))
    if asked is None:
        return None
    compare, part = COMPARISONS[type(test.ops[0])], asked[1] or ""
    try:
        bound = ast.literal_eval(test.comparators[0])
        answers = {bool(compare(_part(version, part), bound)) for version in _LATER}
    except (TypeError, ValueError):  # a number compared with a tuple, or something that is no literal
        return None
    return answers.pop() if len(answers) == 1 else None


def _part(version: tuple[object, ...], part: str) -> object:
    if part.startswith("[:"):
        return version[: int(part[2:-1])]
    return version[0] if part else version
