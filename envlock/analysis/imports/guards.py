"""Conditions that surely hold if a distribution is present (``if is_peft_available():``), or always.

Libraries ask in many ways, but mostly through a name that ends in ``available``. What it stands for is looked
up in all their modules, and counts only if nothing but presence is asked: a version test may be meant for
just the names that are read under it.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from packaging.utils import canonicalize_name

from envlock.analysis.imports.modules import Module
from envlock.analysis.syntax_trees import last_name, parsed

Guards = frozenset[str]
"""Distributions that must be present, by the names of their modules, which are the same."""

_SETTING_UP = r"_+[A-Z0-9]+_SETUP_+"
"""Names that ``setup.py`` sets so that its own package does not import everything (numpy, scikit-learn,
Astropy's packages): nothing that is installed is imported like that."""

_OTHER_ERRORS = (
    r"\b(Value|Type|Key|Index|Lookup|OS|IO|FileNotFound|Permission|ZeroDivision|Overflow|Assertion|Unicode\w*)Error\b"
    r"|\b(KeyboardInterrupt|StopIteration)\b"
)
"""Exceptions that no missing name or module raises."""

_IMPORT_ERRORS = r"(ImportError|ModuleNotFoundError)"
"""Exceptions that a missing module raises, and a missing name of one that is there does not: that is an
``AttributeError``."""

_TELLS = r"(?i)_available$"
_ASKS = r"(_?(is_)?(package|module)_available|find_spec)"
"""Functions that tell whether a module is present."""


class Conditions:
    """The conditions in one distribution's modules; each name is looked up once."""

    def __init__(self, modules: Mapping[str, Module]) -> None:
        self._sources = [module.source for module in modules.values() if "vailable" in module.source.lower()]
        self._known: dict[str, Guards | None] = {}
        self._bodies: dict[str, list[ast.stmt]] = {}

    def guards_of(self, test: ast.expr) -> Guards | None:
        """Return what must be present for a condition to hold, and is enough; ``None`` if not plain."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and is_setting_up(test.operand):
            return frozenset()
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            return _all_of(self.guards_of(value) for value in test.values)
        if (asked := _asked(test)) is not None:
            return asked
        if isinstance(test, ast.Call) and not test.args and not test.keywords:
            test = test.func
        name = last_name(test)
        return self._of(name) if re.search(_TELLS, name) else None

    def guards_of_else(self, node: ast.Try | ast.TryStar) -> Guards | None:
        """Return what must be present for the ``else`` of a ``try`` to run.

        That is what its only statement imports, or what an ``if not`` there that raises asks for.
        """
        if len(node.body) != 1:
            return None
        (only,) = node.body
        if isinstance(only, ast.Import) and all("." not in alias.name for alias in only.names):
            return frozenset(canonicalize_name(alias.name) for alias in only.names)
        if not isinstance(only, ast.If) or only.orelse or not isinstance(only.body[0], ast.Raise):
            return None
        test = only.test
        return (
            self.guards_of(test.operand)
            if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
            else None
        )

    def beside_modules(self, node: ast.Try | ast.TryStar) -> tuple[Guards, list[ast.stmt]]:
        """Return the modules that a ``try`` whose handlers only miss modules begins with, and what runs then.

        Where they are there, nothing catches what is read of them (``numeric = (np.float_, int)``). This goes
        up to the first call, which may end in an ``ImportError`` of its own. Without such statements there is
        nothing.
        """
        if any(map(catches_names, node.handlers)):
            return frozenset(), []
        wanted = [
            statement
            for statement in itertools.takewhile(_imports_top, node.body)
            if isinstance(statement, ast.Import)
        ]
        plain = list(itertools.takewhile(_is_plain, node.body[len(wanted) :]))
        if not wanted or not plain:
            return frozenset(), []
        return frozenset(canonicalize_name(name.name) for statement in wanted for name in statement.names), [
            *wanted,
            *plain,
        ]

    def _of(self, name: str) -> Guards | None:
        """Return what a name of the distribution stands for, if that is the same wherever it is bound."""
        if name not in self._known:
            self._known[name] = None  # a name defined by itself is not plain
            gives = re.compile(rf"{name}\b[^\n=]*=(?!=)")
            giving = (source for source in self._sources if f"def {name}(" in source or gives.search(source))
            given = [meaning for source in giving for meaning in _given(self._body(source), name)]
            values = (
                {self._meant(meaning) for meaning in given if meaning.value is not None} if given else {None}
            )
            if not any(meaning.is_limited for meaning in given) and len(values) == 1:
                self._known[name] = values.pop()
        return self._known[name]

    def _body(self, source: str) -> list[ast.stmt]:
        """Return a module's statements, parsed once as large ones bind most names; none if not Python."""
        if source not in self._bodies:
            try:
                self._bodies[source] = parsed(source).body
            except (SyntaxError, ValueError):
                self._bodies[source] = []
        return self._bodies[source]

    def _meant(self, meaning: _Meaning) -> Guards | None:
        return None if meaning.value is None else self.guards_of(meaning.value)


def ends_in_error(handler: ast.ExceptHandler) -> bool:
    """Whether a handler itself surely raises."""
    return any(isinstance(statement, ast.Raise) for statement in handler.body)


def catches_missing(handler: ast.ExceptHandler) -> bool:
    """Whether a handler may catch what a missing name or module raises, and then continue."""
    if ends_in_error(handler):
        return False
    return not all(
        error is not None and re.fullmatch(_OTHER_ERRORS, ast.unparse(error)) for error in _caught(handler)
    )


def catches_names(handler: ast.ExceptHandler) -> bool:
    """Whether a handler may catch what a missing name of a module raises that is there."""
    errors = f"{_OTHER_ERRORS}|{_IMPORT_ERRORS}"
    return not all(
        error is not None and re.fullmatch(errors, ast.unparse(error)) for error in _caught(handler)
    )


def is_setting_up(test: ast.expr) -> bool:
    """Whether a condition holds only in ``setup.py``."""
    return isinstance(test, ast.Name) and re.fullmatch(_SETTING_UP, test.id) is not None


def _caught(handler: ast.ExceptHandler) -> Sequence[ast.expr | None]:
    """Return the exceptions that a handler names; ``None`` stands for all."""
    return handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]


def _imports_top(statement: ast.stmt) -> bool:
    """Match ``import numpy as np``; a submodule may be what is missing."""
    return isinstance(statement, ast.Import) and all("." not in alias.name for alias in statement.names)


def _is_plain(statement: ast.stmt) -> bool:
    """Whether a statement calls and imports nothing."""
    return not any(isinstance(node, ast.Call | ast.Import | ast.ImportFrom) for node in ast.walk(statement))


class _Meaning(NamedTuple):
    """A name's value: an expression, or ``None`` for no; limited if more than presence counts."""

    value: ast.expr | None
    is_limited: bool


def _all_of(parts: Iterable[Guards | None]) -> Guards | None:
    found = list(parts)
    return None if None in found else frozenset[str]().union(*filter(None, found))


def _asked(test: ast.expr) -> Guards | None:
    """Match ``find_spec("peft") is not None`` and the like, with only a top-level name: no version."""
    if isinstance(test, ast.Compare):
        return _asked(test.left) if ast.unparse(test).endswith(") is not None") else None
    if not isinstance(test, ast.Call) or len(test.args) != 1 or not re.fullmatch(_ASKS, last_name(test.func)):
        return None
    named = test.args[0]
    if {keyword.arg for keyword in test.keywords} - {"return_version"} or not isinstance(named, ast.Constant):
        return None
    is_name = isinstance(named.value, str) and named.value.isidentifier()
    return frozenset({canonicalize_name(str(named.value))}) if is_name else None


def _given(
    body: Iterable[ast.stmt], name: str, *, is_limited: bool = False, may_take_back: bool = False
) -> Iterator[_Meaning]:
    """Yield the values that a module gives a name, in order.

    A value is limited by a condition on versions, and by one under which it is taken back. Code for failures,
    or for something unwanted, does not run if everything is present.
    """
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            yield _returned(node)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            for value, is_no in _assigned(node, name):
                yield _Meaning(None if is_no else value, is_limited or (is_no and may_take_back))
        elif isinstance(node, ast.AugAssign) and last_name(node.target) == name:
            yield _Meaning(node.value, is_limited=True)
        elif isinstance(node, ast.If):
            by_version = is_limited or "version" in ast.unparse(node.test).lower()
            yield from _given(node.body, name, is_limited=by_version, may_take_back=True)
            yield from _given(node.orelse, name, is_limited=by_version)
        elif isinstance(node, ast.Try | ast.TryStar):
            inside = [*node.body, *node.orelse, *node.finalbody]
            handled = [statement for handler in node.handlers for statement in handler.body]
            yield from _given(inside, name, is_limited=is_limited, may_take_back=may_take_back)
            yield from _given(handled, name, is_limited=is_limited)


def _returned(node: ast.FunctionDef) -> _Meaning:
    """Return the meaning of a function that consists, below its docstring, of one ``return``."""
    body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    only = body[0] if len(body) == 1 else None
    value = only.value if isinstance(only, ast.Return) else None
    return _Meaning(value, is_limited=value is None)


def _assigned(node: ast.Assign | ast.AnnAssign, name: str) -> Iterator[tuple[ast.expr, bool]]:
    """Yield the value in ``name = value`` or ``name, version = value``, and whether it is ``False``."""
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        first = target.elts[0] if isinstance(target, ast.Tuple) and target.elts else target
        if last_name(first) == name and node.value is not None:
            yield node.value, isinstance(node.value, ast.Constant) and node.value.value is False
