"""Signs that code is meant only for some releases, or that few people use it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

Function = ast.FunctionDef | ast.AsyncFunctionDef

ASKS = re.compile(
    r"(?i:version|hasattr|getattr|signature|find_spec|compat|legacy|deprecat|v\d)"
    r"|(?<!self\.)(?<!cls\.)\b_*[A-Z]{2}[A-Z0-9_]*\b"
)
"""Found in conditions whose code may be meant only for some releases: versions, names, constants."""

SUPPRESSES = re.compile(r"suppress|raises|ignor|skip|catch|patch|mock", re.IGNORECASE)
"""Contexts in which an error may be intended, or names may stand for something else."""

_SETUPTOOLS = re.compile(r"^[ \t]*(?:from|import)[ \t]+setuptools\b", re.MULTILINE)
_ASIDE = re.compile(
    r"^_?(test|example|demo|main|deprecat|legacy|old|cli|debug|profile|benchmark)|deprecated|_v1$|_old$"
)
"""Names of functions that few people call."""

_MARKED = re.compile(r"deprecat|skip|fixture|overload|abstract|experimental|xfail|parametrize|app\.|command")
"""Decorators of such functions."""

_CAUGHT = re.compile(r"\b(Base)?Exception\b|\b(Type|Attribute|Import|ModuleNotFound|Name|Runtime)Error\b")
"""Exceptions of handlers that also cover a missing name or argument."""


def is_aside(node: Function | ast.ClassDef) -> bool:
    """Whether few people use it, judging by its name, decorators or docstring."""
    docstring = ast.get_docstring(node, clean=False) or ""
    if _ASIDE.search(node.name.lower()) or "deprecated" in docstring.lower():
        return True
    return any(_MARKED.search(ast.unparse(decorator).lower()) for decorator in node.decorator_list)


def catches(handler: ast.ExceptHandler) -> bool:
    """Whether a handler also covers what a missing name or argument raises."""
    return handler.type is None or _CAUGHT.search(ast.unparse(handler.type)) is not None


def leaves(body: Iterable[ast.stmt]) -> bool:
    """Whether a statement in a body may end the block that the body is in."""
    return any(isinstance(node, ast.Return | ast.Raise | ast.Continue | ast.Break) for node in _inside(body))


def returns(body: Iterable[ast.stmt]) -> bool:
    """Whether a statement in a body may end that block other than with an error."""
    return any(isinstance(node, ast.Return | ast.Continue | ast.Break) for node in _inside(body))


def ends(body: Sequence[ast.stmt]) -> bool:
    """Whether nothing can run after a body."""
    return bool(body) and isinstance(body[-1], ast.Return | ast.Raise | ast.Continue | ast.Break)


def _inside(body: Iterable[ast.stmt]) -> Iterator[ast.AST]:
    """Yield nested statements too, but not those of definitions."""
    queue: list[ast.AST] = list(body)
    while queue:
        node = queue.pop()
        yield node
        if isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case) and not isinstance(
            node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
        ):
            queue.extend(ast.iter_child_nodes(node))


def brings_back(name: str, source: str) -> bool:
    """Whether a module imports what has a module that Python took away: setuptools has ``distutils``.

    Such a module is for those who build something, and they have setuptools, whoever asks for it.
    """
    return name.partition(".")[0] == "distutils" and _SETUPTOOLS.search(source) is not None
