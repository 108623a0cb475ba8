"""The syntax trees of Python sources that others wrote; none of them is run."""

from __future__ import annotations

import ast
import gc
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from threading import Lock

UNREADABLE = (SyntaxError, ValueError, RecursionError)
"""What reading a source ends in that is no Python of the running release, or is nested too deeply: a sum of a
thousand texts, a chain of some hundred branches."""

_ONE_AT_A_TIME = Lock()

_OWN_SCOPE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)

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


def imported_names(node: ast.Import | ast.ImportFrom, package: str) -> Iterator[tuple[str, str]]:
    """Yield the names that an import binds, and the dotted names that they stand for.

    Args:
        node: the import.
        package: the package that the module is in, or is.
    """
    if isinstance(node, ast.ImportFrom):
        module = imported_module(node, package)
        yield from ((alias.asname or alias.name, f"{module}.{alias.name}") for alias in node.names)
        return
    for alias in node.names:
        top = alias.name.partition(".")[0]
        yield alias.asname or top, alias.name if alias.asname else top


def imported_module(node: ast.ImportFrom, package: str) -> str:
    """Return the module that names are imported from, with relative ones resolved in a package."""
    parts = package.split(".")
    base = parts[: len(parts) - node.level + 1] if node.level else []
    return ".".join(filter(None, [*base, node.module]))


def is_for_types(condition: ast.If) -> bool:
    """Whether what is below a condition is read by type checkers, and never run."""
    return last_name(condition.test) == "TYPE_CHECKING"


def outside_definitions(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that are not inside a function or a class, including the definitions themselves."""
    queue = [tree]
    while queue:
        node = queue.pop()
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        yield node
        if not isinstance(node, _OWN_SCOPE):
            queue.extend(ast.iter_child_nodes(node))
        elif not isinstance(node, ast.Lambda):
            queue.extend(node.decorator_list)


def bound_names(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the names that nodes bind or delete themselves, and not by others inside them."""
    found = set[str]()
    for node in nodes:
        match node:
            case ast.Name(id=name) if not isinstance(node.ctx, ast.Load):
                found.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.alias(name=name, asname=other):
                found.add(other or name.partition(".")[0])
            case (
                ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
                | ast.MatchMapping(rest=str(name))
            ):
                found.add(name)
            case _:
                pass
    return frozenset(found)


def bound_in_class(node: ast.ClassDef) -> Iterator[str]:
    """Yield the names that a class body binds, in their order."""
    for statement in node.body:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield statement.name
            case ast.Assign():
                yield from (target.id for target in statement.targets if isinstance(target, ast.Name))
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
