"""Names that a module gives when somebody asks for them, by ``__getattr__`` (PEP 562).

Mostly it gives a few that its text shows, and raises an error for every other: what was renamed, or what
takes long to import. Such a module has no name that its text does not show.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from envlock.analysis.imports.namespaces import targets_of

_NAME = "__getattr__"
_READS = frozenset({"copy", "get", "items", "keys", "values"})
"""Methods of tables that change nothing in them."""


def gives_what_its_text_shows(tree: ast.Module, top: Sequence[ast.AST]) -> bool:
    """Whether a module's ``__getattr__`` gives no names but some that are whole strings in the module.

    Args:
        tree: the module.
        top: its nodes that are not inside a function or a class.
    """
    own = [node for node in top if isinstance(node, ast.FunctionDef) and node.name == _NAME]
    if not own:
        return _by_own_table(top)
    tables = _tables(tree)
    return all(_raises_for_others(function, tables) for function in own) and not any(
        _is_assigned(node) for node in top
    )


def _is_assigned(node: ast.AST) -> bool:
    return isinstance(node, ast.Assign) and _NAME in targets_of(node)


def _by_own_table(top: Sequence[ast.AST]) -> bool:
    """Whether ``__getattr__`` is made from strings and tables in the module.

    JAX does so with a table of deprecations: ``__getattr__ = of(__name__, _deprecations)``.
    """
    tables = {
        target
        for node in top
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict | ast.List | ast.Set | ast.Tuple)
        for target in targets_of(node)
    }
    giving = [node for node in top if isinstance(node, ast.Assign) and _is_assigned(node)]
    plain = [
        statement.value
        for statement in giving
        if isinstance(statement.value, ast.Call) and not statement.value.keywords
    ]
    return (
        bool(giving)
        and len(plain) == len(giving)
        and all(
            isinstance(argument, ast.Name) and argument.id in {"__name__", *tables}
            for call in plain
            for argument in call.args
        )
        and any(
            isinstance(argument, ast.Name) and argument.id in tables
            for call in plain
            for argument in call.args
        )
    )


def _raises_for_others(function: ast.FunctionDef, tables: Collection[str]) -> bool:
    """Whether every way to a ``return`` asks for a name, and what is left ends in an error."""
    if not function.args.args:
        return False
    inside = {
        target: statement.value
        for statement in function.body
        if isinstance(statement, ast.Assign) and _is_table(statement.value)
        for target in targets_of(statement)
    }
    return _Asked(function.args.args[0].arg, {*tables, *inside}).ends_in_error(function.body)


class _Asked:
    """What is asked for: the argument of a ``__getattr__``, which tables are compared with."""

    def __init__(self, name: str, tables: Collection[str]) -> None:
        self._name = name
        self._tables = tables

    def ends_in_error(self, body: Sequence[ast.stmt]) -> bool:
        """Whether statements raise an error for each name that they do not ask for."""
        for statement in body:
            if isinstance(statement, ast.Raise):
                return True
            if not isinstance(statement, ast.If):
                if _may_return(statement):
                    return False
            elif self._is_refused(statement.test):
                return self.ends_in_error(statement.body)
            elif self._is_one(statement.test):
                if statement.orelse:
                    return self.ends_in_error([*statement.orelse, *body[body.index(statement) + 1 :]])
            elif _may_return(statement):
                return False
        return False

    def _is_one(self, test: ast.expr) -> bool:
        """Whether a condition holds only for names that the module's text shows."""
        match test:
            case ast.BoolOp(op=ast.And(), values=values):
                return any(map(self._is_one, values))
            case ast.BoolOp(values=values):
                return all(map(self._is_one, values))
            case ast.Compare(left=ast.Name(id=self._name), ops=[ast.Eq()], comparators=[ast.Constant()]):
                return True
            case ast.Compare(left=ast.Name(id=self._name), ops=[ast.In()], comparators=[table]):
                return self._is_known(table)
            case _:
                return False

    def _is_refused(self, test: ast.expr) -> bool:
        """Whether a condition holds for all other names."""
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self._is_one(operand)
            case ast.Compare(left=ast.Name(id=self._name), ops=[ast.NotIn()], comparators=[table]):
                return self._is_known(table)
            case _:
                return False

    def _is_known(self, table: ast.expr) -> bool:
        return _is_table(table) or (isinstance(table, ast.Name) and table.id in self._tables)


def _may_return(node: ast.stmt) -> bool:
    return any(isinstance(one, ast.Return) for one in ast.walk(node))


def _tables(tree: ast.Module) -> set[str]:
    """Return the module's tables of strings that nothing is put into later."""
    given = {
        target
        for statement in tree.body
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        and statement.value is not None
        and _is_table(statement.value)
        for target in _targets(statement)
    }
    times = Counter(
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    changed = set(_changed(ast.walk(tree)))
    return {name for name in given - changed if times[name] == 1}


def _targets(node: ast.Assign | ast.AnnAssign) -> set[str]:
    if isinstance(node, ast.Assign):
        return targets_of(node)
    return {node.target.id} if isinstance(node.target, ast.Name) else set()


def _is_table(value: ast.expr) -> bool:
    """Whether an expression lists strings, or maps them to something, and nothing else."""
    match value:
        case ast.Dict(keys=parts) | ast.List(elts=parts) | ast.Set(elts=parts) | ast.Tuple(elts=parts):
            return all(isinstance(part, ast.Constant) and isinstance(part.value, str) for part in parts)
        case _:
            return False


def _changed(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the names of what something may be put into."""
    for node in nodes:
        match node:
            case (
                ast.AugAssign(target=ast.Name(id=name))
                | ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del())
            ):
                yield name
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if attribute not in _READS:
                yield name
            case _:
                pass
