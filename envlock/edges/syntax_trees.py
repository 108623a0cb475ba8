"""The syntax trees of Python sources that others wrote; nothing of them is run."""

from __future__ import annotations

import ast
import gc
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_ONE_AT_A_TIME = Lock()


def parsed(source: str) -> ast.Module:
    """The tree of a source.

    CPython before 3.11.8 and 3.12.2 counts how deep it is for all threads together, and ends in a SystemError
    where the collector lets a second one begin in the midst of the first (its issue 106905). What a compiler
    has to say of another's source is for its authors. The collector waits meanwhile: a tree has no cycles,
    and to go through those that are kept again and again takes longer than to make them.

    Raises:
        SyntaxError: it is no Python of the release that reads it.
        ValueError: it has a null byte, or is nested too deeply.
    """
    with _ONE_AT_A_TIME, without_collector(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source)
        except (RecursionError, MemoryError) as error:
            raise ValueError("it is nested too deeply") from error


def last_name(node: ast.expr) -> str:
    """The name itself of ``config.TORCH_AVAILABLE``; empty for what is no name."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


@contextmanager
def without_collector() -> Iterator[None]:
    """Nothing is collected meanwhile, where it was before."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
