"""What a program uses of the packages that it imports, read from its syntax tree; nothing is run.

Every expression that begins with an import gets a path: after ``from gensim.models import Word2Vec as W``,
``W(size=100).wv`` has the path ``gensim.models.Word2Vec().wv``, where ``()`` stands for the result of a call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from envlock.model.frozen import dataclass

CALLED = "()"
UNKNOWN = "?"
"""The beginning of a path whose root has an unknown type, such as a function's parameter."""


def leads_into(path: str, whole: str) -> bool:
    """Whether a path is another one, or goes on from there."""
    return path == whole or path.startswith((f"{whole}.", f"{whole}{CALLED}"))


def prefixes(path: str, most: int | None = None) -> Iterator[str]:
    """Yield a dotted name and those above it, shortest first; at most so many."""
    parts = path.split(".")
    first = 0 if most is None else max(0, len(parts) - most)
    return (".".join(parts[: end + 1]) for end in range(first, len(parts)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """The arguments of a call.

    Attributes:
        positional: how many are passed by position.
        keywords: the names of those passed by name.
        spread: whether ``*`` or ``**`` passes further ones.
        constants: those by name whose value is written there, each with that (``loss='log'``).
    """

    positional: int
    keywords: frozenset[str]
    spread: bool
    constants: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """One use of something imported.

    Attributes:
        file: the program's file.
        line: counted from 1.
        column: counted from 1.
        text: the source of the expression, on one line.
        path: where it leads.
        call: the arguments, if it is called.
        sure: whether it certainly leads there: no other branch, no other assignment, no guess at a type.
        cell: the number of the notebook cell that the line is counted in; 0 in a Python file.
        overrides: whether the program defines the name itself, in a class that inherits from an imported one.
    """

    file: str
    line: int
    column: int
    text: str
    path: str
    call: Call | None
    sure: bool
    cell: int = 0
    overrides: bool = False

    @property
    def place(self) -> str:
        """The file and line, as editors open them; for a notebook also the cell."""
        return f"{self.file}, cell {self.cell}:{self.line}" if self.cell else f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One file of a program: what it uses, the packages that it imports, and names in them that it sets."""

    file: str
    uses: tuple[Use, ...]
    imports: frozenset[str]
    patched: frozenset[str] = frozenset()


def in_cells(program: Program, cells: Sequence[tuple[int, int]]) -> Program:
    """Return a notebook's program with its lines counted within their cells.

    Args:
        program: the program that all cells make up.
        cells: for each line its cell and the line in it; empty for a Python file, which stays unchanged.
    """
    if not cells:
        return program
    placed = ((use, *cells[use.line - 1]) for use in program.uses)
    return replace(program, uses=tuple(replace(use, cell=cell, line=line) for use, cell, line in placed))
