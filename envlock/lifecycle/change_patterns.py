"""Recorded changes of interfaces as paths that a program can be searched for."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envlock.lifecycle.breaks import Rename
from envlock.model.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Pattern:
    """A recorded change as a path, with the argument that it is about.

    Attributes:
        path: where a use leads that is meant.
        chain: the names as the knowledge base writes them.
        parameter: the argument; empty where the change is about the name itself.
        rename: the change.
    """

    path: str
    chain: tuple[str, ...]
    parameter: str
    rename: Rename

    @property
    def tail(self) -> str:
        """What follows the first name."""
        return "".join(f".{part}" for part in self.chain[1:])


def read_change(text: str) -> Iterator[tuple[list[str], tuple[str, ...]]]:
    """The names of a recorded change and the arguments it is about; none where it is no expression.

    Arguments count where the record says that any value fails (``size=...``); several expressions count as
    long as they begin with the same name.
    """
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:
        return
    chains = [_chain(one) for one in (node.elts if isinstance(node, ast.Tuple) else [node])]
    yield from (one for one in chains if one[0] and chains[0][0] and one[0][0] == chains[0][0][0])


def _chain(node: ast.expr) -> tuple[list[str], tuple[str, ...]]:
    chain, parameters = list[str](), tuple[str, ...]()
    if isinstance(node, ast.Call):
        given = [one for one in node.keywords if one.arg is not None]
        if any(not (isinstance(one.value, ast.Constant) and one.value.value is ...) for one in given):
            return [], ()
        parameters = tuple(one.arg for one in given if one.arg is not None)
        node = node.func
    while isinstance(node, ast.Attribute):
        chain.insert(0, node.attr)
        node = node.value
    return ([node.id, *chain], parameters) if isinstance(node, ast.Name) else ([], ())
