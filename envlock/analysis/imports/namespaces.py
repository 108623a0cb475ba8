"""What a module puts into namespaces, which gives it names that do not occur in it as words."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Sequence

from envlock.analysis.syntax_trees import last_name

_MAKES_ANY = re.compile(r"\bglobal_enum\b|\b_convert_?\(")
"""Found in modules that assemble names, which then do not occur as words (NumPy's ``dtypes``)."""

_MAY_MAKE_ANY = re.compile(r"\bexec\(|\bsetattr\(")
"""What may assemble names where it is no prose."""

_OBJECTS = frozenset({"self", "cls", "obj", "object", "instance"})
"""Parameters that are no modules, whatever is set on them, or on what they have."""

_READS = frozenset({"copy", "get", "items", "keys", "pop", "values"})
"""Methods of namespaces that put nothing into them."""

_BY_PROTOC = re.compile(r"Build(Message|Top|Services)")
_BY_CALLER = re.compile(r"current_?(module|frame)|getframe")
"""Functions that find out who calls them."""

NAMESPACES = frozenset({"globals", "locals", "vars"})
"""Functions that return a namespace."""


def makes_any(source: str, tree: ast.Module, names: Collection[str]) -> bool:
    """Whether a module may assemble any name.

    Args:
        source: the module.
        tree: the same, parsed.
        names: all names in it.
    """
    if _MAKES_ANY.search(source) or (_MAY_MAKE_ANY.search(source) and _sets_any_name(tree)):
        return True
    return not NAMESPACES.isdisjoint(names) and any(map(_puts_any_name, ast.walk(tree)))


def _sets_any_name(tree: ast.Module) -> bool:
    """Whether text is run as code, or an attribute of any name is set on what may be a module.

    What a function has just got from a function or class of the same module is none: typing_extensions sets
    so the fields of a named tuple that it makes.
    """
    made = _made_here(tree)
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="exec")):
                return True
            case ast.Call(func=ast.Name(id="setattr"), args=[target, *_]) if not (
                _first_name(target) in _OBJECTS or (isinstance(target, ast.Name) and id(node) in made)
            ):
                return True
            case _:
                pass
    return False


def _made_here(tree: ast.Module) -> set[int]:
    """Return the calls whose first argument only ever stands for what a maker of this module returned."""
    makers = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)} | {
        "type"
    }
    found = set[int]()
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        nodes = list(ast.walk(function))
        others = [node.arg for node in nodes if isinstance(node, ast.arg)]
        others += [
            node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        ]
        for node in nodes:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id=maker))) if (
                    maker in makers
                ):
                    others.remove(name)
                case _:
                    pass
        calls = (node for node in nodes if isinstance(node, ast.Call) and node.args)
        found |= {
            id(call)
            for call in calls
            if isinstance(call.args[0], ast.Name) and call.args[0].id not in others and _is_bound(call, nodes)
        }
    return found


def _is_bound(call: ast.Call, nodes: Sequence[ast.AST]) -> bool:
    """Whether the first argument of a call is a name that is bound among these nodes."""
    name = call.args[0]
    return isinstance(name, ast.Name) and any(
        isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == name.id
        for node in nodes
    )


def _first_name(node: ast.expr) -> str:
    """Return where a chain of attributes and calls begins: ``self`` of ``self.made().part``."""
    while isinstance(node, ast.Attribute | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _puts_any_name(node: ast.AST) -> bool:
    """Whether a node puts something under any name into a namespace (``globals()[name] = 1``).

    Reading puts nothing there, and is how ``__getattr__`` mostly ends, such as SciPy's.
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
    """Whether it calls others that put names into it: by its namespace, by caller, from a stub file.

    This is how Astropy gets its units and constants, and scikit-image the content of ``__init__.pyi``. Code
    generated by protoc does so too, but all its names occur in strings.
    """
    spaces = {
        name
        for node in top
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and last_name(node.value.func) == "globals"
        for name in targets_of(node)
    }
    for node in top:
        if not isinstance(node, ast.Call) or _BY_PROTOC.match(last_name(node.func)):
            continue
        if _BY_CALLER.search(last_name(node.func)):
            return True
        for given in (*node.args, *(keyword.value for keyword in node.keywords)):
            is_space = isinstance(given, ast.Call) and last_name(given.func) == "globals"
            if (
                is_space
                or last_name(given) in spaces
                or (last_name(given) == "__file__" and "__getattr__" in bound)
            ):
                return True
    return False


def may_find_itself(tree: ast.Module) -> bool:
    """Whether a module does more with ``sys.modules`` than look up others by name.

    It may then get hold of itself, or of a module that it fills in, or put something else in its place.
    """
    whole, looked_up = set[int](), set[int]()
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="sys"), attr="modules"):
                whole.add(id(node))
            case ast.ImportFrom(module="sys") if any(alias.name in {"modules", "*"} for alias in node.names):
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
    return any(
        isinstance(node, ast.Name) and node.id in {"__name__", "__package__"} for node in ast.walk(key)
    )


def targets_of(node: ast.Assign) -> set[str]:
    """Return the names that an assignment binds."""
    return {one.id for target in node.targets for one in ast.walk(target) if isinstance(one, ast.Name)}
