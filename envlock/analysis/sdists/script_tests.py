"""Results of tests in a ``setup.py``, in an isolated build on Linux, as far as reading them tells."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import cast

from envlock.analysis.imports.interpreters import COMPARISONS, compared

UNKNOWN = object()
"""The value of an expression that only running the script would tell."""

_TOLD: Mapping[str, object] = MappingProxyType(
    {
        "os.name": "posix",
        "sys.argv": ("setup.py", "bdist_wheel"),
        "'__pypy__' in sys.builtin_module_names": False,
        "'__pypy__' not in sys.builtin_module_names": True,
        "sys.implementation.name": "cpython",
        "sys.platform": "linux",
        "sys.version_info.major": 3,
        "six.PY2": False,
        "six.PY3": True,
        "platform.python_implementation()": "CPython",
        "platform.system()": "Linux",
    }
)
"""Known values: nothing but a wheel is asked for."""

Binding = tuple[ast.expr | None, tuple[tuple[ast.expr, bool], ...]]
"""The expression a name is bound to, if it is a single one, and the tests around it with the branches
taken."""

_READ = r"(?:os\.)?(?:environ\.get|getenv)"
_VARIABLES = frozenset({"os.environ", "environ"})
_AROUND = (
    r"(.*_)?(PATH|HOME|ROOT|PREFIX|DIR|FLAGS)|USER|LOGNAME|SHELL|TERM|PWD|LANG|CI|CC|CXX|FC|AR|LD"
    r"|(LC_|XDG_|CONDA|VIRTUAL_ENV|PYTHON|CCACHE|CUDA|MPI|SLURM|OMP_|SETUPTOOLS_|PBR_|DISTUTILS_).*"
)
"""Variables that accounts, compilers, modules and builds set. Those of a script's own are set by nobody."""

_TAKEN, _PASSED_BY = ast.Constant(value=True), ast.Constant(value=False)


def branches(node: ast.AST) -> tuple[tuple[ast.expr | None, bool, list[ast.AST]], ...]:
    """Split a conditional node: for each part its test, the result for which it runs, and its nodes.

    Cython is assumed to be missing, so an attempt to import it continues with its handlers. For other ``try``
    statements the outcome is unknown (``None``).
    """
    if isinstance(node, ast.If):
        return (node.test, True, [*node.body]), (node.test, False, [*node.orelse])
    if isinstance(node, ast.IfExp):
        return (node.test, True, [node.body]), (node.test, False, [node.orelse])
    if not isinstance(node, ast.Try) or not node.handlers:
        return ()
    untried = [part for handler in node.handlers for part in handler.body]
    if not any("Cython" in name for statement in node.body for name in _imported(statement)):
        return (
            (None, True, [*node.body, *node.orelse]),
            (None, True, [*untried]),
            (_TAKEN, True, [*node.finalbody]),
        )
    return (_PASSED_BY, True, [*node.body, *node.orelse]), (_TAKEN, True, [*untried, *node.finalbody])


def _imported(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return [alias.name for alias in node.names] if isinstance(node, ast.Import) else []


class Tests:
    """Evaluates expressions of one script.

    A name has the value that it is bound to, if every binding in the script that may run gives the same
    value.
    """

    __slots__ = ("_bindings", "_met")

    def __init__(self, script: ast.Module) -> None:
        self._bindings: dict[str, list[Binding]] = {}
        self._met: set[str] = set()
        self._collect(script, ())

    def _collect(self, node: ast.AST, within: tuple[tuple[ast.expr, bool], ...]) -> None:
        """Record every binding of a name, with the branches that it stands in."""
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            self._bindings.setdefault(node.targets[0].id, []).append((node.value, within))
            return
        if isinstance(node, ast.arg):
            self._bindings.setdefault(node.arg, []).append((None, within))
        if isinstance(node, ast.alias):
            self._bindings.setdefault(node.asname or node.name, []).append((None, within))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            self._bindings.setdefault(node.id, []).append((None, within))
        parts = branches(node) if isinstance(node, ast.stmt) else ()
        for test, taken, part in parts:
            for child in part:
                self._collect(child, within if test is None else (*within, (test, taken)))
        for inner in () if parts else ast.iter_child_nodes(node):
            self._collect(inner, within)

    def _bound(self, name: str) -> object:
        if name in self._met:
            return UNKNOWN  # it is bound to its own previous value
        self._met.add(name)
        try:
            values = [
                UNKNOWN if value is None else self.value(value)
                for value, within in self._bindings.get(name, ())
                if all(self.may(test, taken=taken) for test, taken in within)
            ]
        finally:
            self._met.discard(name)
        return (
            values[0]
            if values and all(value is values[0] or value == values[0] for value in values)
            else UNKNOWN
        )

    def surely(self, test: ast.expr | None, *, taken: bool) -> bool:
        """Whether a part of ``branches`` certainly runs if the code around it does."""
        return test is not None and self._holds(test) is taken

    def may(self, test: ast.expr | None, *, taken: bool) -> bool:
        """Whether such a part may run."""
        return test is None or self._holds(test) in {taken, None}

    def value(self, node: ast.expr) -> object:
        """Return the value of an expression, or ``UNKNOWN``."""
        text = ast.unparse(node)
        if text in _TOLD:
            return _TOLD[text]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            holds = self._holds(node.operand)
            return UNKNOWN if holds is None else not holds
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self._compared(node)
        return self._plain(node)

    def _plain(self, node: ast.expr) -> object:
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return self._bound(node.id)
        if isinstance(node, ast.BoolOp):
            return self._joined(node)
        return self._called(node) if isinstance(node, ast.Call) else UNKNOWN

    def _holds(self, test: ast.expr) -> bool | None:
        """Whether an expression counts as true; ``None`` if unknown. Of several operands one may decide."""
        if not isinstance(test, ast.BoolOp):
            value = self.value(test)
            return None if value is UNKNOWN else bool(value)
        decides = isinstance(test.op, ast.Or)
        answers = {self._holds(one) for one in test.values}
        return decides if decides in answers else None if None in answers else not decides

    def _joined(self, node: ast.BoolOp) -> object:
        """Return the operand that Python gives: the first that decides, else the last."""
        value: object = UNKNOWN
        for one in node.values:
            value = self.value(one)
            if value is UNKNOWN or bool(value) is isinstance(node.op, ast.Or):
                break
        return value

    def _compared(self, node: ast.Compare) -> object:
        left, right = node.left, node.comparators[0]
        if ast.unparse(left).startswith("sys.version_info"):
            alike = compared(node)
            return UNKNOWN if alike is None else alike
        one, other = self.value(left), self.value(right)
        if ast.unparse(right) in _VARIABLES and _is_unset(one):
            other = ()
        if UNKNOWN in (one, other):
            return UNKNOWN
        try:
            return bool(COMPARISONS[type(node.ops[0])](one, other))
        except TypeError:
            return UNKNOWN

    def _called(self, node: ast.Call) -> object:
        name = ast.unparse(node.func)
        if re.fullmatch(_READ, name) and node.args:
            default = [
                *node.args[1:],
                *(keyword.value for keyword in node.keywords),
                ast.Constant(value=None),
            ][0]
            return self.value(default) if _is_unset(self.value(node.args[0])) else UNKNOWN
        if name in {"bool", "int"} and len(node.args) == 1:
            return _converted(name, self.value(node.args[0]))
        if isinstance(node.func, ast.Attribute) and node.func.attr == "startswith" and len(node.args) == 1:
            text, start = self.value(node.func.value), self.value(node.args[0])
            return text.startswith(start) if isinstance(text, str) and isinstance(start, str) else UNKNOWN
        return False if ast.unparse(node) == "hasattr(sys, 'pypy_version_info')" else UNKNOWN


def _is_unset(variable: object) -> bool:
    """Whether an environment variable is surely not set for a build."""
    return isinstance(variable, str) and re.fullmatch(_AROUND, variable) is None


def _converted(kind: str, value: object) -> object:
    """Return ``bool`` or ``int`` of a value; unknown where that fails."""
    if value is UNKNOWN:
        return UNKNOWN
    try:
        return bool(value) if kind == "bool" else int(cast("str", value))
    except (TypeError, ValueError):
        return UNKNOWN
