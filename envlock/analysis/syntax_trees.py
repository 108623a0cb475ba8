"""The syntax trees of Python sources that others wrote; none of them is run."""

from __future__ import annotations

import ast
import gc
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_ONE_AT_A_TIME = Lock()

_BYTE_ORDER_MARK = "\ufeff"
"""What some editors on Windows begin a file with: an import takes it, the parser of a text does not."""


def parsed(source: str) -> ast.Module:
    """Parse a source.

    CPython before 3.11.8 and 3.12.2 counts recursion depth for all threads together, and raises a SystemError
    if the garbage collector lets a second parse begin during the first (its issue 106905). Compiler warnings
    are dropped: they concern the source's authors. The collector pauses meanwhile: trees have no cycles, and
    scanning the existing ones again and again takes longer than making them.

    Raises:
        SyntaxError: it is no Python of the running release.
        ValueError: it has a null byte, or is nested too deeply.
    """
    with _one_at_a_time():
        return ast.parse(source.removeprefix(_BYTE_ORDER_MARK))


def parsed_expression(text: str) -> ast.expr:
    """Parse an expression, as ``parsed`` does a source.

    Raises:
        SyntaxError, ValueError: as there.
    """
    with _one_at_a_time():
        return ast.parse(text, mode="eval").body


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    with _ONE_AT_A_TIME, without_collector(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield
        except (RecursionError, MemoryError) as error:
            raise ValueError("it is nested too deeply") from error


def last_name(node: ast.expr) -> str:
    """Return the last part of a name, as of ``config.TORCH_AVAILABLE``; empty if it is no name."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def bound_in_class(node: ast.ClassDef) -> Iterator[str]:
    """Yield the names that a class body binds, in their order."""
    for one in node.body:
        match one:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield one.name
            case ast.Assign():
                yield from (target.id for target in one.targets if isinstance(target, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name


@contextmanager
def without_collector() -> Iterator[None]:
    """Pause the garbage collector during the block, and resume it only if it was on before."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
