"""What runs of one body, from its beginning on: which names it reads, how it calls them, and how surely."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple, Protocol

from envlock.edges.functions.asking import ASKS, SUPPRESSES, Function, catches, ends, leaves, returns
from envlock.edges.functions.calls import Call
from envlock.edges.imports.statements import with_parents

_INIT_OF_BASE = re.compile(r"super\((\w+, ?self)?\)\.__init__")


class Use(NamedTuple):
    """One name of another distribution's that is read.

    Attributes:
        name: the dotted name.
        call: how it is called; ``None`` where it is only read.
        line: where.
        function: the function that does so; empty where the module does when it is imported.
        is_sure: whether it does so whenever it is called, not below a condition.
    """

    name: str
    call: Call | None
    line: int
    function: str
    is_sure: bool


class Surroundings(Protocol):
    """What a body is in: its module."""

    def alias(self, name: str) -> str:
        """The dotted name that a name of the module stands for; empty where it may be others."""
        ...

    def holds(self, test: ast.expr) -> bool:
        """Whether a condition asks for no more than that those who are there are there."""
        ...

    def asks(self, test: ast.expr, known: Collection[str]) -> bool:
        """Whether a condition may ask for a release; names that stand for such an answer are known."""
        ...

    @property
    def imported(self) -> Callable[[ast.Import | ast.ImportFrom], Iterable[tuple[str, str]]]:
        """The names that an import gives a meaning, and the dotted names of what they stand for."""
        ...


class Flow(ast.NodeVisitor):
    """One body; a visit of a statement gives ``False`` where nothing after it runs.

    What stands below a condition that asks for no release counts, though it is not sure. What is tried counts
    where no handler is there for just these errors. What is defined inside runs later, or never, but for what
    is returned: who makes a decorator wants to use it.
    """

    def __init__(self, around: Surroundings, function: str, names: Collection[str], base: str) -> None:
        """Of a function with names of its own, or, without a name, of a module.

        ``base`` is the dotted name of the class whose ``__init__`` this one's calls.
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
        """Take a name of the function, such as ``self``, for something."""
        self._aliases[name] = target

    def run(self, body: Iterable[ast.stmt]) -> bool:
        """Note what the statements read; whether what comes after them may run, too."""
        return all(self.visit(node) is not False for node in body)

    def _below(self, *parts: ast.AST) -> None:
        """What runs where a condition holds, each part by itself."""
        before, self._is_sure = self._is_sure, False
        for part in parts:
            self.visit(part)
        self._is_sure = before

    def _branch(self, body: Iterable[ast.stmt]) -> None:
        before, self._is_sure = self._is_sure, False
        self.run(body)
        self._is_sure = before

    def visit_FunctionDef(self, node: Function) -> None:
        """Decorators and defaults."""
        for part in (*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(part)
        self._inside[node.name] = node.body

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Its body runs where the module does; what that makes is no name of the module."""
        for part in (*node.decorator_list, *node.bases):
            self.visit(part)
        if not self._function:
            outside, self._names = self._names, {*self._names, *_made_in(node)}
            self.run(node.body)
            self._names = outside

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        """What is imported, with the packages that it is in; a function has its names for itself."""
        plain = [one.name for one in node.names] if isinstance(node, ast.Import) else []
        imported = list(self._around.imported(node))
        for target in plain or [target for _, target in imported]:
            for parent in with_parents(target):
                self._note(parent, node.lineno)
        if self._function:
            self._aliases |= dict(imported)

    visit_ImportFrom = visit_Import  # noqa: N815

    def visit_If(self, node: ast.If) -> bool:
        """Its branches, where it asks for no release."""
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

    def visit_Try(self, node: ast.Try) -> bool:
        """What is tried, where an error is not meant to happen."""
        handled = [one for handler in node.handlers for one in handler.body]
        if any(map(catches, node.handlers)):
            self._branch(node.orelse)
            self.run(node.finalbody)
            self._is_sure &= not returns([*node.body, *node.orelse, *handled])
            return not ends(node.body)
        goes_on = self.run(node.body) and self.run(node.orelse)
        self._is_sure &= not returns(handled)
        return self.run(node.finalbody) and goes_on

    def visit_With(self, node: ast.With | ast.AsyncWith) -> bool:
        """Its body, where the context suppresses nothing."""
        for item in node.items:
            self.visit(item.context_expr)
        if any(SUPPRESSES.search(ast.unparse(item.context_expr)) for item in node.items):
            return True
        return self.run(node.body)

    visit_AsyncWith = visit_With  # noqa: N815

    def visit_For(self, node: ast.For | ast.AsyncFor | ast.While) -> None:
        """Its body, as if there were something to go through."""
        self.visit(node.test if isinstance(node, ast.While) else node.iter)
        before = self._is_sure
        self.run(node.body)
        self._is_sure = before and not returns(node.body)

    visit_AsyncFor = visit_While = visit_For  # noqa: N815

    def visit_Match(self, node: ast.Match) -> None:
        """What is matched."""
        self.visit(node.subject)
        self._is_sure &= not any(returns(case.body) for case in node.cases)

    def visit_Return(self, node: ast.Return) -> bool:
        """What is returned, and what that does, if it is a function from inside."""
        self.generic_visit(node)
        if self._function and isinstance(node.value, ast.Name):
            self._branch(self._inside.pop(node.value.id, ()))
        return False

    def visit_Raise(self, node: ast.Raise | ast.Continue | ast.Break) -> bool:  # noqa: ARG002
        """The end."""
        return False

    visit_Continue = visit_Break = visit_Raise  # noqa: N815

    def visit_Assert(self, node: ast.Assert) -> bool:
        """The end, where it asks for a release."""
        return not self._around.asks(node.test, self._asking)

    def visit_Assign(self, node: ast.Assign) -> None:
        """What is assigned; it may be the answer to a question that is asked later."""
        if self._function and ASKS.search(ast.unparse(node.value)):
            self._asking.update(one.id for one in node.targets if isinstance(one, ast.Name))
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Its value: annotations are mostly put off."""
        if node.value is not None:
            self.visit(node.value)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        """Runs later."""

    def visit_Constant(self, node: ast.Constant) -> None:
        """Reads nothing; the base class would look for visitors of before Python 3.8, each time."""

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        """Its first part."""
        self.visit(node.values[0])

    def visit_IfExp(self, node: ast.IfExp) -> None:
        """Its branches, as of a statement."""
        self.visit(node.test)
        if not self._around.asks(node.test, self._asking):
            self._below(node.body, node.orelse)

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        """What it goes through."""
        self.visit(node.generators[0].iter)

    visit_SetComp = visit_GeneratorExp = visit_DictComp = visit_ListComp  # noqa: N815

    def visit_Call(self, node: ast.Call) -> None:
        """A call of a name, of ``functools.partial`` with one, or of the ``__init__`` of the only base."""
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
        """A chain of names that begins with something imported."""
        chain = self._chain(node)
        for dotted in chain[1:] if isinstance(node.ctx, ast.Load) else ():
            self._note(dotted, node.lineno)
        if not chain:
            self.generic_visit(node)

    def _chain(self, node: ast.expr) -> list[str]:
        """``np``, ``np.random`` and ``np.random.rand`` of that; nothing of what is not imported."""
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


def _made_in(node: ast.ClassDef) -> Iterator[str]:
    """The names that a class makes for itself."""
    for one in node.body:
        match one:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield one.name
            case ast.Assign():
                yield from (target.id for target in one.targets if isinstance(target, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name
