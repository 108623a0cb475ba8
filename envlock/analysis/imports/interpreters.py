"""Conditions with one answer on every interpreter: ``if sys.version_info >= (3, 5):``, ``six.PY3``."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from envlock.model.component import parse_version

_MINORS = range(6, 40)


def _releases(minor: int) -> tuple[tuple[object, ...], ...]:
    """Return values of ``sys.version_info`` of the first and of a last release of Python 3.``minor``."""
    return tuple((3, minor, micro, "final", 0) for micro in (0, 99))


_LATER = tuple(release for minor in _MINORS for release in _releases(minor))
"""Possible values of ``sys.version_info``, from the oldest supported interpreter on."""

ALWAYS, NEVER = 'python_version >= "3"', 'python_version < "3"'
"""The markers of what every supported interpreter gets, and of what none does."""

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


def marker_of(test: ast.expr, bound: Mapping[str, ast.expr]) -> str | None:
    """Return the marker of the interpreters on which a condition holds: ``python_version < "3.7"``.

    It is ``ALWAYS`` or ``NEVER`` where that is all or none of them, and ``None`` for any other condition.

    Args:
        test: the condition.
        bound: the expressions that the module's names stand for.
    """
    answers = [_holds(test, minor, bound) for minor in _MINORS]
    if None in answers:
        return None
    changes = [
        minor for minor, one, next_ in zip(_MINORS, answers, answers[1:], strict=False) if one != next_
    ]
    match changes:
        case []:
            return ALWAYS if answers[0] else NEVER
        case [last]:
            return f'python_version {"<" if answers[0] else ">="} "3.{last + 1}"'
    return None


def _holds(test: ast.expr, minor: int, bound: Mapping[str, ast.expr]) -> bool | None:
    """Whether a condition holds on all releases of Python 3.``minor``, or on none; ``None`` if unknown."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inside = _holds(operand, minor, bound)
            return None if inside is None else not inside
        case ast.Name(id=name) if name in bound:
            return _holds(bound[name], minor, {known: bound[known] for known in bound if known != name})
        case ast.BoolOp(op=op, values=values):
            decides = isinstance(op, ast.Or)
            answers = {_holds(one, minor, bound) for one in values}
            return decides if decides in answers else None if None in answers else not decides
        case ast.Compare():
            return compared(test, _releases(minor))
    return answer(test, {})


def compared(test: ast.Compare, versions: Sequence[tuple[object, ...]] = _LATER) -> bool | None:
    """Like ``answer``, for a comparison: ``sys.version_info[0] == 2`` and the like."""
    if len(test.ops) > 1:
        return None
    asked = re.fullmatch(_ASKED, ast.unparse(test.left))
    if asked is None:
        return None
    compare, part = COMPARISONS[type(test.ops[0])], asked[1] or ""
    try:
        bound = ast.literal_eval(test.comparators[0])
        answers = {bool(compare(_part(version, part), bound)) for version in versions}
    except (TypeError, ValueError):  # a number compared with a tuple, or something that is no literal
        return None
    return answers.pop() if len(answers) == 1 else None


def _part(version: tuple[object, ...], part: str) -> object:
    if part.startswith("[:"):
        return version[: int(part[2:-1])]
    return version[0] if part else version
