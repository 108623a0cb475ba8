"""What a module's functions read and call of another distribution when they are called."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress

from envlock.analysis.functions.asking import ASKS, Function, is_aside
from envlock.analysis.functions.flow import Flow, Use
from envlock.analysis.functions.scopes import Bound, Scope, Surety
from envlock.analysis.imports.guards import Conditions
from envlock.analysis.imports.statements import with_parents

_COUNTING = {Surety.PLAIN, Surety.TRIED, Surety.BELOW}
_NO_BASES = {"object", "ABC", "Generic"}
_WORD = re.compile(r"\w+")


def uses_of(
    scope: Scope,
    conditions: Conditions,
    owners: Collection[str],
    present: Collection[str],
    *,
    is_own: bool = False,
    follow: Callable[[str], str] = str,
) -> list[Use]:
    """Return what a module reads of others on import, and in the bodies of its functions and methods.

    Args:
        scope: the module.
        conditions: those of its distribution.
        owners: the packages whose names count.
        present: distributions that are present, so that code conditional on them runs.
        is_own: whether the owners are the module's own packages, so that its own definitions count.
        follow: resolves a dotted name that a module of the same distribution re-exports.
    """
    module = _Module(scope, conditions, frozenset(owners), frozenset(present), is_own=is_own, follow=follow)
    found = module.all_uses()
    return [use for use in found if not frozenset(with_parents(use.name)).isdisjoint(owners)]


class _Module:
    """The functions of one module; those whose text cannot name what counts are skipped."""

    def __init__(
        self,
        scope: Scope,
        conditions: Conditions,
        owners: frozenset[str],
        present: frozenset[str],
        *,
        is_own: bool,
        follow: Callable[[str], str],
    ) -> None:
        self._scope = scope
        self._follow = follow
        self._conditions = conditions
        self._present = present
        self._is_own = is_own
        self._aliases: dict[str, str] = {}
        tops = {owner.partition(".")[0] for owner in owners}
        named = {name for name in scope.names() if self._may_count(name, owners)}
        self._counting = None if is_own else named.union(tops, ("super",))
        self._owners = re.compile("|".join(map(re.escape, sorted(tops))), re.IGNORECASE)
        self._lines = scope.source.split("\n")

    @property
    def imported(self) -> Callable[[ast.Import | ast.ImportFrom], Iterable[tuple[str, str]]]:
        """As in the module's scope."""
        return self._scope.imported

    def all_uses(self) -> Iterator[Use]:
        """Yield uses in functions, and sure ones of the module, which excludes what it runs as a script."""
        flow = Flow(self, "", frozenset(), "")
        _run(flow, self._scope.tree.body)
        yield from (use for use in flow.uses if use.is_sure)
        yield from self._of_functions(self._scope.tree.body)

    def _of_functions(self, body: Iterable[ast.stmt]) -> Iterator[Use]:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield from self._of_function(node, "", "")
            elif isinstance(node, ast.ClassDef) and not is_aside(node):
                base = self._base(node)
                for statement in node.body:
                    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                        yield from self._of_function(statement, f"{node.name}.", base)
            elif isinstance(node, ast.If) and self.holds(node.test):
                yield from self._of_functions(node.body)

    def _of_function(self, node: Function, owner: str, base: str) -> Iterator[Use]:
        text = "\n".join(self._lines[node.lineno - 1 : node.end_lineno])
        if self._counting is not None and self._counting.isdisjoint(_WORD.findall(text)):
            return
        if is_aside(node):
            return
        flow = Flow(self, f"{owner}{node.name}", _names_in(node), base if node.name == "__init__" else "")
        if self._is_own and owner and node.args.args:
            flow.stands_for(node.args.args[0].arg, f"{self._scope.name}.{owner.rstrip('.')}")
        _run(flow, node.body)
        yield from flow.uses

    def _base(self, node: ast.ClassDef) -> str:
        """Return the only base of a class; empty if there are several, or a metaclass."""
        named = [base for base in node.bases if ast.unparse(base).partition("[")[0] not in _NO_BASES]
        if len(named) != 1 or node.keywords:
            return ""
        first, _, rest = ast.unparse(named[0]).partition(".")
        start = self.alias(first) if first.isidentifier() else ""
        return ".".join(filter(None, (start, rest))) if start else ""

    def holds(self, test: ast.expr) -> bool:
        """Whether a condition only asks for the presence of distributions that are present."""
        guards = self._conditions.guards_of(test)
        return guards is not None and guards <= self._present

    def asks(self, test: ast.expr, known: Collection[str]) -> bool:
        """Whether a condition may ask for a release.

        It does by its wording, by the owner's name, by a name that such an answer was assigned to, or by a
        call without arguments, which mostly asks what is there.
        """
        text = ast.unparse(test)
        if ASKS.search(text) or self._owners.search(text):
            return True
        for node in ast.walk(test):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.args:
                return True
            if isinstance(node, ast.Name) and (node.id in known or self._stands_for_answer(node.id)):
                return True
        return False

    def _stands_for_answer(self, name: str) -> bool:
        nodes = [binding.node for binding in self._scope.bound(name)]
        return any(isinstance(node, ast.Assign) and ASKS.search(ast.unparse(node.value)) for node in nodes)

    def alias(self, name: str) -> str:
        """Return the dotted name that a module's name stands for when functions run; empty if ambiguous.

        An import under a condition or in a ``try`` counts too: whoever reads the name without one needs it.
        """
        if name not in self._aliases:
            bound = [binding for binding in self._scope.bound(name) if not _is_nothing(binding)]
            counting = [
                binding
                for binding in bound
                if binding.surety in _COUNTING and binding.guards <= self._present
            ]
            targets = {self._follow(binding.target) or self._own_name(name, binding) for binding in bound}
            self._aliases[name] = targets.pop() if counting and len(targets) == 1 else ""
        return self._aliases[name]

    def _own_name(self, name: str, bound: Bound) -> str:
        is_defined = isinstance(bound.node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        return f"{self._scope.name}.{name}" if self._is_own and is_defined else ""

    def _may_count(self, name: str, owners: frozenset[str]) -> bool:
        targets = [self._follow(binding.target) for binding in self._scope.bound(name) if binding.target]
        return any(not owners.isdisjoint(with_parents(target)) for target in targets)


def _run(flow: Flow, body: Iterable[ast.stmt]) -> None:
    """Run a body up to a statement that is nested too deeply, such as a chain of some hundred branches."""
    with suppress(RecursionError):
        flow.run(body)


def _is_nothing(bound: Bound) -> bool:
    """Whether it is the fallback ``peft = None`` for something missing."""
    node = bound.node
    if isinstance(node, ast.AnnAssign):
        return node.value is None or isinstance(node.value, ast.Constant)
    return isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)


def _names_in(function: Function) -> frozenset[str]:
    """Return the local names of a function, and of what is defined in it."""
    found: set[str] = set()
    for node in ast.walk(function):
        match node:
            case ast.Name() if not isinstance(node.ctx, ast.Load):
                found.add(node.id)
            case ast.Import() | ast.ImportFrom():
                found.update(alias.asname or alias.name.partition(".")[0] for alias in node.names)
            case ast.Global() | ast.Nonlocal():
                found.update(node.names)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.ExceptHandler():
                found.add(node.name or "")
            case ast.arg():
                found.add(node.arg)
    return frozenset(found)
