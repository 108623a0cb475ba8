"""Sources in the grammar of an older Python: ``async`` and ``await`` as names, and what Python 2 takes."""

from __future__ import annotations

import ast
import re

from envlock.analysis.syntax_trees import parsed

ASYNC_NAME = "keyword.async_as_a_name"
"""Stands for such a name, as if it were read of the standard library."""
EXCEPT_COMMA = "keyword.except_with_a_comma"
"""Stands for ``except Error, name:``, likewise."""
OF_PYTHON_2 = "keyword.print_as_a_statement"
"""Stands for a statement of Python 2 such as ``print text``, for ``0777`` and for tabs mixed with blanks."""

_AS_NAME = re.compile(r"(?<=\.)(?:async|await)\b|\b(?:async|await)\b(?=\s*(?:[=.,):\]]|$))", re.MULTILINE)
_ONLY_OLD = (
    ("Missing parentheses in call to", OF_PYTHON_2),
    ("leading zeros in decimal integer literals", OF_PYTHON_2),
    ("inconsistent use of tabs", OF_PYTHON_2),
    ("multiple exception types must be parenthesized", EXCEPT_COMMA),
)
"""How CPython's messages begin for what Python 2 takes; it has others for a later grammar than its own."""


def parsed_with_old_words(source: str) -> tuple[ast.Module, dict[str, int]]:
    """Parse a source, and return with its tree what it has of an older grammar, with a line of each.

    The tree of a source that only Python 2 takes is empty: its import ends before anything of it runs.

    Raises:
        SyntaxError: it is no Python of an older grammar either.
        ValueError: it has a null byte, or is nested too deeply.
    """
    try:
        return parsed(source), {}
    except SyntaxError as error:
        line = error.lineno or 1
    try:
        return parsed(_AS_NAME.sub(r"\g<0>_", source)), {ASYNC_NAME: line}
    except SyntaxError as error:
        old = next((word for beginning, word in _ONLY_OLD if error.msg.startswith(beginning)), "")
        if not old:
            raise
        return ast.Module(body=[], type_ignores=[]), {old: error.lineno or 1}


def is_translated(setup: str) -> bool:
    """Whether a ``setup.py`` has what it builds translated from Python 2, as setuptools before 58 can."""
    return "2to3" in setup
