"""What a program uses of the packages that it imports, read from its syntax tree; nothing is run.

Every expression that begins with an import is given a path: ``from gensim.models import Word2Vec as W`` makes
``W(size=100).wv`` the path ``gensim.models.Word2Vec().wv``, where ``()`` stands for the result of a call.
"""

from __future__ import annotations

from envlock.model.frozen import dataclass

CALLED = "()"
UNKNOWN = "?"
"""What a path begins with whose root is of a type that nobody can tell, such as a function's parameter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """The arguments of a call.

    Attributes:
        positional: how many are given by position.
        keywords: those given by name.
        spread: whether ``*`` or ``**`` gives further ones.
    """

    positional: int
    keywords: frozenset[str]
    spread: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """One use of something imported.

    Attributes:
        file: the program's file.
        line: counted from 1.
        column: counted from 1.
        text: the source of the expression, on one line.
        path: what it leads to.
        call: the arguments, where it is called.
        sure: whether it certainly leads there: no other branch, no other assignment, no guess at a type.
    """

    file: str
    line: int
    column: int
    text: str
    path: str
    call: Call | None
    sure: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One file of a program: what it uses, and the packages that it imports."""

    file: str
    uses: tuple[Use, ...]
    imports: frozenset[str]
