"""What tells that code is meant for some releases alone, or that few use it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

Function = ast.FunctionDef | ast.AsyncFunctionDef

ASKS = re.compile(
    r"(?i:version|hasattr|getattr|signature|find_spec|compat|legacy|deprecat|v\d)"
    r"|(?<!self\.)(?<!cls\.)\b_*[A-Z]{2}[A-Z0-9_]*\b"
)
"""What conditions ask where the rest may be meant for some releases alone: versions, names, constants."""

SUPPRESSES = re.compile(r"suppress|raises|ignor|skip|catch|patch|mock", re.IGNORECASE)
"""Contexts in which an error may be meant to happen, or names may be others."""

_ASIDE = re.compile(
    r"^_?(test|example|demo|main|deprecat|legacy|old|cli|debug|profile|benchmark)|deprecated|_v1$|_old$"
)
"""Functions that few call."""

_MARKED = re.compile(r"deprecat|skip|fixture|overload|abstract|experimental|xfail|parametrize|app\.|command")
"""Decorators of such."""

_CAUGHT = re.compile(r"\b(Base)?Exception\b|\b(Type|Attribute|Import|ModuleNotFound|Name|Runtime)Error\b")
"""What handlers name that are there for a missing name or argument, too."""


def is_aside(node: Function | ast.ClassDef) -> bool:
    """Whether few use it, as its name, its decorators or its docstring tell."""
    told = ast.get_docstring(node, clean=False) or ""
    if _ASIDE.search(node.name.lower()) or "deprecated" in told.lower():
        return True
    return any(_MARKED.search(ast.unparse(one).lower()) for one in node.decorator_list)


def catches(handler: ast.ExceptHandler) -> bool:
    """Whether a handler is there for what a missing name or argument raises, too."""
    return handler.type is None or _CAUGHT.search(ast.unparse(handler.type)) is not None


def leaves(body: Iterable[ast.stmt]) -> bool:
    """Whether something in a body may end what it is in."""
    return any(isinstance(one, ast.Return | ast.Raise | ast.Continue | ast.Break) for one in _inside(body))


def returns(body: Iterable[ast.stmt]) -> bool:
    """Whether something in it may end it otherwise than with an error."""
    return any(isinstance(one, ast.Return | ast.Continue | ast.Break) for one in _inside(body))


def ends(body: Sequence[ast.stmt]) -> bool:
    """Whether nothing comes after a body."""
    return bool(body) and isinstance(body[-1], ast.Return | ast.Raise | ast.Continue | ast.Break)


def _inside(body: Iterable[ast.stmt]) -> Iterator[ast.AST]:
    """Statements, also those in others, but not those of what is defined there."""
    queue: list[ast.AST] = list(body)
    while queue:
        node = queue.pop()
        yield node
        if isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case) and not isinstance(
            node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
        ):
            queue.extend(ast.iter_child_nodes(node))
