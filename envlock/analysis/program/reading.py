"""Read from a program's syntax tree which imported things it uses, where, and with which arguments."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from envlock.analysis.program.own_code import OwnCode
from envlock.analysis.program.scopes import Known
from envlock.analysis.program.statements import Reader
from envlock.analysis.program.uses import Program, Use
from envlock.analysis.syntax_trees import parsed

_READINGS = 2
"""The first reading finds what the program's own functions and classes pass on, wherever they are defined."""


_LINE_END = re.compile(r"\r\n|\r|\n")
"""The ends of lines as Python counts them: form feeds are none."""


def read_program(source: str, file: str) -> Program:
    """Return what a file uses of its imports.

    Args:
        source: its text.
        file: its path.

    Raises:
        SyntaxError: it is no Python of the running release.
        ValueError: it has a null byte, or is nested too deeply.
    """
    tree = parsed(source)
    try:
        return _read(tree, _LINE_END.split(source), file)
    except RecursionError as error:  # a sum of a thousand texts, a chain of some hundred branches
        raise ValueError("it is nested too deeply") from error


def _read(tree: ast.Module, lines: list[str], file: str) -> Program:
    uses, imports, patched = list[Use](), set[str](), set[str]()
    stars = dict.fromkeys(_starred(tree)) or {"": None}
    for star in stars:  # a name can come from each of them
        own, known = OwnCode(), Known(star, sure=len(stars) == 1)
        readers = [Reader(file=file, lines=lines, star=known, own=own) for _ in range(_READINGS)]
        for reader in readers:
            reader.module(tree)
        uses += readers[-1].uses
        imports |= readers[-1].imports
        patched |= own.patched
    uses.sort(key=lambda use: (use.line, use.column, use.path))
    return Program(
        file=file,
        uses=tuple(dict.fromkeys(uses)),
        imports=frozenset(imports),
        patched=frozenset(patched),
    )


def _starred(tree: ast.Module) -> Iterator[str]:
    """Yield the modules from which a program imports all public names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (node.module for alias in node.names if alias.name == "*")
