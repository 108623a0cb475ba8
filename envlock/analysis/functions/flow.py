"""What runs of a body, from its beginning: the names it reads, how it calls them, and how surely."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple, Protocol

from envlock.analysis.functions.asking import ASKS, SUPPRESSES, Function, catches, ends, leaves, returns
from envlock.analysis.functions.calls import Call
from envlock.analysis.imports.statements import with_parents
from envlock.analysis.syntax_trees import bound_in_class

_INIT_OF_BASE = re.compile(r"super\((\w+, ?self)?\)\.__init__")


class Use(NamedTuple):
    """One use of a name of another distribution.

    Attributes:
        name: the dotted name.
        call: how it is called; ``None`` if it is only read.
        line: the line number.
        function: the function that uses it; empty if the module does on import.
        is_sure: whether every call of the function uses it, rather than under a condition.
    """

    name: str
    call: Call | None
    line: int
    function: str
    is_sure: bool


class Surroundings(Protocol):
    """The module around a body."""

    def alias(self, name: str) -> str:
        """Return the dotted name that a name of the module stands for; empty if ambiguous."""
        ...

    def holds(self, test: ast.expr) -> bool:
        """Whether a condition only asks for the presence of distributions that are present."""
        ...

    def asks(self, test: ast.expr, known: Collection[str]) -> bool:
        """Whether a condition may ask for a release; ``known`` names hold the answer to such a question."""
        ...

    @property
    def imported(self) -> Callable[[ast.Import | ast.ImportFrom], Iterable[tuple[str, str]]]:
        """Yield the names that an import binds, and the dotted names that they stand for."""
        ...


class Flow(ast.NodeVisitor):
    """One body; visiting a statement returns ``False`` if nothing after it runs.

    Code under a condition that asks for no release counts, though not as sure. A ``try`` body counts unless a
    handler is there for just these errors. Functions defined inside run later, or never, except those that
    are returned: whoever makes a decorator wants to use it.
    """

    def __init__(self, around: Surroundings, function: str, names: Collection[str], base: str) -> None:
        """Start in a function with its own names, or, if unnamed, in a module.

        ``base`` is the dotted name of the class whose ``__init__`` a call through ``super()`` reaches.
        """
        self.uses: list[Use] = []
        self._around = around
        self._function = function
        self._names = names
        self._base = base
        self._aliases: dict[str, str] = {}
        self._asking: set[str] = set()
        self._inside: dict[str, list[ast.stmt]] = {}
        self._is_sure = True

    def stands_for(self, name: str, target: str) -> None:
        """Let a name of the function, such as ``self``, stand for something."""
        self._aliases[name] = target

    def run(self, body: Iterable[ast.stmt]) -> bool:
        """Record what the statements read; return whether what follows them may run."""
        return all(self.visit(node) is not False for node in body)

    def _below(self, *parts: ast.AST) -> None:
        """Visit what runs under a condition, each part by itself."""
        before, self._is_sure = self._is_sure, False
        for part in parts:
            self.visit(part)
        self._is_sure = before

    def _branch(self, body: Iterable[ast.stmt]) -> None:
        before, self._is_sure = self._is_sure, False
        self.run(body)
        self._is_sure = before

    def visit_FunctionDef(self, node: Function) -> None:
        """Visit decorators and defaults."""
        for part in (*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(part)
        self._inside[node.name] = node.body

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Visit a module's class body, which runs with it; the names that it binds are the class's own."""
        for part in (*node.decorator_list, *node.bases):
            self.visit(part)
        if not self._function:
            outside, self._names = self._names, {*self._names, *bound_in_class(node)}
            self.run(node.body)
            self._names = outside

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        """Record what is imported, with its parent packages; in a function the names are local."""
        plain = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        imported = list(self._around.imported(node))
        for target in plain or [target for _, target in imported]:
            for parent in with_parents(target):
                self._note(parent, node.lineno)
        if self._function:
            self._aliases |= dict(imported)

    visit_ImportFrom = visit_Import  # noqa: N815

    def visit_If(self, node: ast.If) -> bool:
        """Visit the branches, unless the test asks for a release."""
        self.visit(node.test)
        if self._around.holds(node.test):
            return self.run(node.body)
        branches = [*node.body, *node.orelse]
        if self._around.asks(node.test, self._asking):
            return not leaves(branches)
        self._branch(node.body)
        self._branch(node.orelse)
        self._is_sure &= not returns(branches)
        return not (ends(node.body) and ends(node.orelse))

    def visit_Try(self, node: ast.Try | ast.TryStar) -> bool:
        """Visit the body, unless an error is expected in it."""
        handled = [statement for handler in node.handlers for statement in handler.body]
        if any(map(catches, node.handlers)):
            self._branch(node.orelse)
            self.run(node.finalbody)
            self._is_sure &= not returns([*node.body, *node.orelse, *handled])
            return not ends(node.body)
        goes_on = self.run(node.body) and self.run(node.orelse)
        self._is_sure &= not returns(handled)
        return self.run(node.finalbody) and goes_on

    visit_TryStar = visit_Try  # noqa: N815

    def visit_With(self, node: ast.With | ast.AsyncWith) -> bool:
        """Visit the body, unless the context suppresses errors: what is after a return may run then."""
        for item in node.items:
            self.visit(item.context_expr)
        if any(SUPPRESSES.search(ast.unparse(item.context_expr)) for item in node.items):
            self._is_sure &= not returns(node.body)
            return True
        return self.run(node.body)

    visit_AsyncWith = visit_With  # noqa: N815

    def visit_For(self, node: ast.For | ast.AsyncFor | ast.While) -> None:
        """Visit the body as if there were something to iterate over."""
        self.visit(node.test if isinstance(node, ast.While) else node.iter)
        before = self._is_sure
        self.run(node.body)
        self._is_sure = before and not returns(node.body)

    visit_AsyncFor = visit_While = visit_For  # noqa: N815

    def visit_Match(self, node: ast.Match) -> None:
        """Visit the subject."""
        self.visit(node.subject)
        self._is_sure &= not any(returns(case.body) for case in node.cases)

    def visit_Return(self, node: ast.Return) -> bool:
        """Visit what is returned, and the body of a function from inside that is returned."""
        self.generic_visit(node)
        if self._function and isinstance(node.value, ast.Name):
            self._branch(self._inside.pop(node.value.id, ()))
        return False

    def visit_Raise(self, node: ast.Raise | ast.Continue | ast.Break) -> bool:  # noqa: ARG002
        """End the flow."""
        return False

    visit_Continue = visit_Break = visit_Raise  # noqa: N815

    def visit_Assert(self, node: ast.Assert) -> bool:
        """End the flow if the test asks for a release."""
        return not self._around.asks(node.test, self._asking)

    def visit_Assign(self, node: ast.Assign) -> None:
        """Visit the assignment; its value may answer a question that is asked later."""
        if self._function and ASKS.search(ast.unparse(node.value)):
            self._asking.update(target.id for target in node.targets if isinstance(target, ast.Name))
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Visit the value only, because annotations are mostly deferred."""
        if node.value is not None:
            self.visit(node.value)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        """Skip it, because it runs later."""

    def visit_Constant(self, node: ast.Constant) -> None:
        """Skip it; the base class would look for visitors from before Python 3.8 each time."""

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        """Visit the first operand."""
        self.visit(node.values[0])

    def visit_IfExp(self, node: ast.IfExp) -> None:
        """Visit the branches, as of a statement."""
        self.visit(node.test)
        if not self._around.asks(node.test, self._asking):
            self._below(node.body, node.orelse)

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        """Visit what it iterates over."""
        self.visit(node.generators[0].iter)

    visit_SetComp = visit_GeneratorExp = visit_DictComp = visit_ListComp  # noqa: N815

    def visit_Call(self, node: ast.Call) -> None:
        """Record a call of a name, of ``functools.partial`` with one, or of the only base's ``__init__``."""
        chain = self._chain(node.func)
        name, call = chain[-1] if chain else "", Call.of(node)
        if name == "functools.partial" and node.args:
            chain = self._chain(node.args[0])
            name = chain[-1] if chain else ""
            call = call._replace(positional=call.positional - 1, is_open=True)
        elif self._base and _INIT_OF_BASE.fullmatch(ast.unparse(node.func)):
            name = self._base
        if name:
            self.uses.append(Use(name, call, node.lineno, self._function, self._is_sure))
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Record an attribute chain that begins with something imported."""
        chain = self._chain(node)
        for dotted in chain[1:] if isinstance(node.ctx, ast.Load) else ():
            self._note(dotted, node.lineno)
        if not chain:
            self.generic_visit(node)

    def _chain(self, node: ast.expr) -> list[str]:
        """Return ``np``, ``np.random``, ``np.random.rand`` for the last; nothing if not imported."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return []
        is_own = node.id in self._names
        start = self._aliases.get(node.id, "") if is_own else self._around.alias(node.id)
        chain = [start] if start else []
        for part in reversed(parts) if start else ():
            chain.append(f"{chain[-1]}.{part}")
        return chain

    def _note(self, name: str, line: int) -> None:
        self.uses.append(Use(name, None, line, self._function, self._is_sure))
