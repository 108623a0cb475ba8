"""What a ``setup.py`` passes to ``setup``: a translation of sources, and dependencies that it does not state.

It may pass such dependencies if it unpacks (``**``) what it reads from elsewhere, or if pbr fills in what
``requirements.txt`` has.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from packaging.utils import canonicalize_name

from envlock.analysis.requirement_repair import read_requirement
from envlock.analysis.sdists.setup_requires import stated_requires
from envlock.analysis.syntax_trees import last_name

_KEYWORD = "use_2to3"
_PBR = "pbr"
_OF_DISTUTILS = "todict"
"""The method by which numpy.distutils gives the extensions and packages that it found, and nothing else."""


def is_setup(function: ast.expr) -> bool:
    """Whether a called function is ``setup``."""
    return last_name(function) == "setup"


def is_filled_by_pbr(script: ast.Module, setup_cfg: str) -> bool:
    """Whether pbr states the dependencies: with ``pbr=True``, for which a script asks for it first."""
    stated = map(read_requirement, stated_requires(script, setup_cfg))
    if any(requirement is not None and canonicalize_name(requirement.name) == _PBR for requirement in stated):
        return True
    return any(isinstance(node, ast.keyword) and node.arg == _PBR for node in ast.walk(script))


def asks_for_2to3(script: ast.Module) -> int:
    """Return the line where a script has its sources translated; 0 if it does not, or not by each setuptools.

    It passes the keyword to ``setup``, or puts it into what it unpacks there.
    """
    nodes = list(ast.walk(script))
    if any(isinstance(node, ast.If) and "setuptools" in ast.unparse(node.test) for node in nodes):
        return 0
    return next((line for node in nodes if (line := _line_of_2to3(node))), 0)


def _line_of_2to3(node: ast.AST) -> int:
    match node:
        case ast.Call(func=function, keywords=given) if is_setup(function):
            return next(
                (passed.lineno for passed in given if passed.arg == _KEYWORD and not _is_false(passed.value)),
                0,
            )
        case ast.Assign(targets=[ast.Subscript(slice=ast.Constant(value=key))], value=value):
            return node.lineno if key == _KEYWORD and not _is_false(value) else 0
        case _:
            return 0


def _is_false(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and not value.value


def unpacks_others(script: ast.Module) -> bool:
    """Whether a call of ``setup`` unpacks keywords that are not all to be seen in the script.

    Those of distutils never name dependencies, because it knows no such keyword.
    """
    calls = [node for node in ast.walk(script) if isinstance(node, ast.Call) and is_setup(node.func)]
    unpacked = [keyword.value for call in calls for keyword in call.keywords if keyword.arg is None]
    return bool(unpacked) and not _is_of_distutils(script) and not _Dictionaries(script).show(unpacked)


def _is_of_distutils(script: ast.Module) -> bool:
    """Whether the script imports something of distutils, and nothing of setuptools."""
    nodes = (node for node in ast.walk(script) if isinstance(node, ast.Import | ast.ImportFrom))
    imports = "\n".join(map(ast.unparse, nodes))
    return "distutils" in imports and "setuptools" not in imports


class _Dictionaries:
    """The dictionaries of a script."""

    def __init__(self, script: ast.Module) -> None:
        self._nodes = list(ast.walk(script))
        self._met: set[str] = set()

    def show(self, values: Iterable[ast.expr]) -> bool:
        """Whether all of these are dictionaries whose keys stand in the script."""
        return all(map(self._shows, values))

    def _shows(self, value: ast.expr) -> bool:
        match value:
            case ast.Dict(keys=keys, values=values):
                unpacked = [one for key, one in zip(keys, values, strict=True) if key is None]
                return all(isinstance(key, ast.Constant | None) for key in keys) and self.show(unpacked)
            case ast.Call():
                return self._call_shows(value)
            case ast.Name(id=name):
                return name in self._met or self._name_shows(name)
            case ast.IfExp(body=one, orelse=other) | ast.BinOp(left=one, op=ast.BitOr(), right=other):
                return self.show((one, other))
        return False

    def _call_shows(self, call: ast.Call) -> bool:
        """Whether a call gives such a dictionary: of ``dict``, or of a function of the script."""
        name = last_name(call.func)
        if name in {"dict", _OF_DISTUTILS}:
            return self.show(_taken(call))
        bodies = [node for node in self._nodes if isinstance(node, ast.FunctionDef) and node.name == name]
        returned = [node for body in bodies for node in ast.walk(body) if isinstance(node, ast.Return)]
        return bool(returned) and all(
            statement.value is not None and self._shows(statement.value) for statement in returned
        )

    def _name_shows(self, name: str) -> bool:
        """Whether a name is bound to such dictionaries alone, and what is put into them is seen, too."""
        self._met.add(name)
        bound: list[ast.expr] = []
        stores = 0
        for node in self._nodes:
            match node:
                case ast.Assign(targets=[ast.Name(id=it)], value=value) if it == name:
                    bound.append(value)
                case ast.AugAssign(target=ast.Name(id=it), value=value) if it == name:
                    bound.append(value)
                case ast.Name(id=it, ctx=ast.Store()) | ast.arg(arg=it) if it == name:
                    stores += 1
                case ast.alias() if name in {node.name, node.asname}:
                    stores += 1
        return stores == len(bound) > 0 and self.show(bound) and self._keeps_to(name)

    def _keeps_to(self, name: str) -> bool:
        """Whether all that is put into a named dictionary is to be seen in the script."""
        for node in self._nodes:
            match node:
                case ast.Subscript(value=ast.Name(id=it), slice=key, ctx=ast.Store()) if it == name:
                    if not isinstance(key, ast.Constant):
                        return False
                case ast.Call(func=ast.Attribute(value=ast.Name(id=it), attr="update")) if it == name:
                    if not self.show(_taken(node)):
                        return False
        return True


def _taken(call: ast.Call) -> list[ast.expr]:
    """Return what a call of ``dict`` or ``update`` takes keys from."""
    return [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg is None)]
