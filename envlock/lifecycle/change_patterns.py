"""Recorded interface changes as paths that a program can be searched for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from envlock.analysis.program.expressions import constants_of
from envlock.analysis.program.uses import CALLED, Call, leads_into
from envlock.analysis.syntax_trees import parsed_expression
from envlock.lifecycle.breaks import Rename
from envlock.model.frozen import dataclass

_ENOUGH_TO_KNOW_BY = 2
"""How many attributes in a row are enough to recognise something of an unknown type."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A recorded change as a path, with the argument that it is about.

    Attributes:
        path: where an affected use leads.
        chain: the names as the knowledge base writes them.
        parameter: the argument, with its value if others are fine (``loss='log'``); empty if it is about
            the name itself.
        new: what to write instead, for the class in question; empty if nothing is recorded.
        rename: the change.
    """

    path: str
    chain: tuple[str, ...]
    parameter: str
    new: str
    rename: Rename

    @property
    def tail(self) -> str:
        """What follows the first name."""
        return "".join(f".{part}" for part in self.chain[1:])


def replacement_for(rename: Rename, place: int, of: str, chain: list[str]) -> tuple[tuple[str, ...], str]:
    """Return how to report a change for one class: its names, and what to write instead.

    If as many new expressions are recorded as old ones, they belong together in pairs; a change that is
    recorded for one class (``Word2Vec(size=...)``) and holds for others is reported with their names.
    """
    old, new = _expressions(rename.old), _expressions(rename.new)
    mine = ast.unparse(new[place]) if len(new) == len(old) > 1 else rename.new
    classes = {one.removesuffix("()").rpartition(".")[2] for one in rename.of}
    kind = of.removesuffix("()").rpartition(".")[2]
    if chain[0] in classes and kind != chain[0]:
        return (kind, *chain[1:]), re.sub(rf"\b{chain[0]}\b", kind, mine)
    return tuple(chain), mine


def _expressions(text: str) -> list[ast.expr]:
    try:
        node = parsed_expression(text)
    except (SyntaxError, ValueError):
        return []
    return list(node.elts) if isinstance(node, ast.Tuple) else [node]


def read_change(text: str) -> Iterator[tuple[int, list[str], tuple[str, ...]]]:
    """Yield place, names and arguments of each expression of a recorded change; none if it is no expression.

    Arguments count with their values, unless the record says that any value fails (``size=...``); of several
    expressions, those count that begin with the same name as the first.
    """
    chains = [_chain(expression) for expression in _expressions(text)]
    for place, (chain, parameters) in enumerate(chains):
        if chain and chains[0][0] and chain[0] == chains[0][0][0]:
            yield place, chain, parameters


def _chain(node: ast.expr) -> tuple[list[str], tuple[str, ...]]:
    chain, parameters = list[str](), tuple[str, ...]()
    if isinstance(node, ast.Call):
        given = [keyword for keyword in node.keywords if keyword.arg is not None]
        if any(not isinstance(one.value, ast.Constant) for one in given):
            return [], ()
        constants = constants_of(node)
        parameters = tuple(sorted(constant.removesuffix("=...") for constant in constants))
        node = node.func
    while isinstance(node, ast.Attribute):
        chain.insert(0, node.attr)
        node = node.value
    return ([node.id, *chain], parameters) if isinstance(node, ast.Name) else ([], ())


def speaks_of(pattern: Pattern, path: str, call: Call | None) -> bool:
    """Whether a recorded change is about a use, and not about what a call of it gave."""
    if pattern.parameter:
        return path == pattern.path and gives(call, pattern.parameter)
    return leads_into(path, pattern.path) and CALLED not in path.removeprefix(pattern.path)


def resembles(pattern: Pattern, tail: str, call: Call | None) -> bool:
    """Whether a recorded change is likely about a use of something of an unknown type, by its attributes."""
    if pattern.tail.count(".") < _ENOUGH_TO_KNOW_BY:
        return False
    return (
        tail == pattern.tail and gives(call, pattern.parameter)
        if pattern.parameter
        else leads_into(tail, pattern.tail)
    )


def gives(call: Call | None, parameter: str) -> bool:
    """Whether a call has an argument by name, with its value if that matters (``loss='log'``)."""
    return call is not None and parameter in call.keywords | call.constants
