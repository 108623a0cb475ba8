"""What a module puts into namespaces, so that it has names which are nowhere in it as words."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Sequence

from envlock.edges.syntax_trees import last_name

_MAKES_ANY = re.compile(
    r"\bexec\(|\bglobal_enum\b|\b_convert_?\(|\bsetattr\(\s*(?!(self|cls|obj|object|instance)\b)"
)
"""What modules have that put names together, which then are nowhere as words (NumPy's ``dtypes``)."""

_READS = frozenset({"copy", "get", "items", "keys", "pop", "values"})
"""What namespaces have that puts nothing into them."""

_BY_PROTOC = re.compile(r"Build(Message|Top|Services)")
_BY_CALLER = re.compile(r"current_?(module|frame)|getframe")
"""Functions that find out who calls them."""

NAMESPACES = frozenset({"globals", "locals", "vars"})
"""Functions that give a namespace."""


def makes_any(source: str, tree: ast.Module, names: Collection[str]) -> bool:
    """Whether a module puts together names of whatever words.

    Args:
        source: the module.
        tree: the same, parsed.
        names: all names in it.
    """
    if _MAKES_ANY.search(source):
        return True
    return not NAMESPACES.isdisjoint(names) and any(map(_puts_any_name, ast.walk(tree)))


def _puts_any_name(node: ast.AST) -> bool:
    """Whether a part of a module puts something by whatever name into a namespace (``globals()[name] = 1``).

    To read what is there puts nothing: so ``__getattr__`` mostly ends, as SciPy's does.
    """
    if not isinstance(node, ast.Subscript | ast.Attribute) or not isinstance(node.value, ast.Call):
        return False
    called = node.value
    if last_name(called.func) not in NAMESPACES or called.args:
        return False
    if isinstance(node, ast.Attribute):
        return node.attr not in _READS
    is_text = isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
    return not isinstance(node.ctx, ast.Load) and not is_text


def hands_itself_on(top: Sequence[ast.AST], bound: frozenset[str]) -> bool:
    """Whether others are called that put names into it: by its namespace, by who calls, from a stub file.

    So Astropy has its units and constants, scikit-image what stands in ``__init__.pyi``. What protoc
    writes does so too, and tells all names in texts.
    """
    spaces = {
        name
        for one in top
        if isinstance(one, ast.Assign)
        and isinstance(one.value, ast.Call)
        and last_name(one.value.func) == "globals"
        for name in targets_of(one)
    }
    for one in top:
        if not isinstance(one, ast.Call) or _BY_PROTOC.match(last_name(one.func)):
            continue
        if _BY_CALLER.search(last_name(one.func)):
            return True
        for given in (*one.args, *(keyword.value for keyword in one.keywords)):
            is_space = isinstance(given, ast.Call) and last_name(given.func) == "globals"
            if (
                is_space
                or last_name(given) in spaces
                or (last_name(given) == "__file__" and "__getattr__" in bound)
            ):
                return True
    return False


def may_find_itself(tree: ast.Module) -> bool:
    """Whether a module does more with ``sys.modules`` than to look up others by name.

    So it may get hold of itself, or of a module that it fills in, or put something else in its place.
    """
    whole, looked_up = set[int](), set[int]()
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="sys"), attr="modules"):
                whole.add(id(node))
            case ast.ImportFrom(module="sys") if any(one.name in {"modules", "*"} for one in node.names):
                return True
            case (
                ast.Subscript(value=ast.expr() as space, slice=key, ctx=ast.Load())
                | ast.Call(func=ast.Attribute(value=space, attr="get"), args=[key, *_])
                | ast.Compare(left=key, comparators=[space])
            ) if not _tells_itself(key):
                looked_up.add(id(space))
            case _:
                pass
    return not whole <= looked_up


def _tells_itself(key: ast.AST) -> bool:
    return any(isinstance(one, ast.Name) and one.id in {"__name__", "__package__"} for one in ast.walk(key))


def targets_of(node: ast.Assign) -> set[str]:
    """The names that an assignment gives a meaning."""
    return {one.id for target in node.targets for one in ast.walk(target) if isinstance(one, ast.Name)}
