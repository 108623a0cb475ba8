"""Decorators that surely do not change how a function is called, by their names or their own source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from envlock.analysis.functions.asking import Function
from envlock.analysis.functions.definitions import Definitions

_KEEPING = frozenset(
    {
        *("abc.abstractmethod", "contextlib.asynccontextmanager", "contextlib.contextmanager"),
        *("functools.cache", "functools.lru_cache", "typing.final", "typing.no_type_check"),
        *("typing.runtime_checkable", "typing_extensions.final"),
    }
)
"""Python's own; each calls the function with exactly the arguments it was called with."""

_FILTERS = re.compile(
    r"for \w+, ?\w+ in [^\n]*\.items\(\)\s+if\b|for \w+ in [^\n]*kwargs[^\n]*\bif\b|signature\b[^\n]*\.bind"
)
"""Ways to remove arguments of any name."""

_READS = frozenset({"items", "keys", "values", "get", "copy"})
"""Methods of a mapping that leave it unchanged."""


def words_of(decorator: ast.expr, module: str, definitions: Definitions) -> str | None:
    """Return the text in which a decorator must name an argument to remove, add or rename it.

    Args:
        decorator: as written, with arguments or without.
        module: the module it is written in.
        definitions: those of the distribution.

    Returns:
        Empty if it surely passes everything on; ``None`` if its effect is unknown.
    """
    target = definitions.target(module, decorator.func if isinstance(decorator, ast.Call) else decorator)
    if target in _KEEPING:
        return ""
    found = definitions.of(target) if target else None
    if found is None or found.inside or not isinstance(found.node, ast.FunctionDef):
        return None
    if found.node.decorator_list:
        return None
    made = _made_by(found.node) if isinstance(decorator, ast.Call) else found.node
    source = definitions.source(found.module)
    handed = None if made is None else _hands_on(made)
    if handed is None or (not handed and _FILTERS.search(source)):
        return None
    return "" if handed else f"{ast.unparse(decorator)}\n{source}"


def _made_by(factory: Function) -> Function | None:
    """Return the decorator that a factory makes from its arguments."""
    made = _only_function(factory)
    return made if made is not None and _returns_only(factory, made.name) else None


def _hands_on(decorator: Function) -> bool | None:
    """Whether a decorator that takes only the function passes all arguments on unchanged.

    ``None`` if it returns neither the function nor a wrapper that calls it with ``*args`` and ``**kwargs``.
    """
    arguments = decorator.args
    if len(arguments.args) != 1 or arguments.posonlyargs or arguments.kwonlyargs or arguments.vararg:
        return None
    function = arguments.args[0].arg
    if _is_stored(decorator, function):
        return None
    if _returns_only(decorator, function):
        return True
    wrapper = _only_function(decorator)
    if wrapper is None or not _returns_only(decorator, wrapper.name):
        return None
    return _passes_all(wrapper, function)


def _only_function(outer: Function) -> Function | None:
    """Return the only function that is defined directly inside."""
    inside = [
        statement for statement in outer.body if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    nested = [node for node in ast.walk(outer) if isinstance(node, ast.ClassDef | ast.Lambda)]
    return inside[0] if len(inside) == 1 and not nested else None


def _returns_only(function: Function, name: str) -> bool:
    """Whether a function's own ``return`` statements all return a certain name."""
    returned = [node.value for node in _own(function) if isinstance(node, ast.Return)]
    return bool(returned) and all(isinstance(value, ast.Name) and value.id == name for value in returned)


def _passes_all(wrapper: Function, function: str) -> bool | None:
    """Whether ``def wrapper(*args, **kwargs)`` leaves these alone; ``None`` if it calls otherwise."""
    arguments = wrapper.args
    if arguments.args or arguments.posonlyargs or arguments.kwonlyargs:
        return None
    if arguments.vararg is None or arguments.kwarg is None:
        return None
    more, by_name = arguments.vararg.arg, arguments.kwarg.arg
    calls = [node for node in ast.walk(wrapper) if isinstance(node, ast.Call)]
    handing = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == function]
    if not handing or not all(_with_all(call, more, by_name) for call in handing):
        return None
    allowed = {id(part) for part in _harmless(wrapper)}
    return all(
        isinstance(node.ctx, ast.Load) and id(node) in allowed
        for node in ast.walk(wrapper)
        if isinstance(node, ast.Name) and node.id in {more, by_name}
    )


def _with_all(call: ast.Call, more: str, by_name: str) -> bool:
    return ast.unparse(call).endswith(f"(*{more}, **{by_name})")


def _harmless(wrapper: Function) -> Iterator[ast.AST]:
    """Yield names in places where their value is read and surely left unchanged."""
    for node in ast.walk(wrapper):
        match node:
            case ast.Starred(value=inner) | ast.keyword(arg=None, value=inner):
                yield inner
            case ast.Subscript(value=inner, ctx=ast.Load()) | ast.Compare(comparators=[inner]):
                yield inner
            case ast.Call(func=ast.Attribute(value=inner, attr=name)) if name in _READS:
                yield inner
            case ast.Call(func=ast.Name(id="len" | "zip" | "enumerate" | "any" | "all"), args=args):
                yield from args


def _is_stored(outer: Function, name: str) -> bool:
    return any(
        isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)
        for node in ast.walk(outer)
    )


def _own(function: Function) -> Iterator[ast.AST]:
    """Yield the nodes of a function except those of definitions inside it."""
    queue: list[ast.AST] = list(function.body)
    while queue:
        node = queue.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            queue.extend(ast.iter_child_nodes(node))
