"""Sources that have ``async`` or ``await`` for a name, as Python took them before 3.7."""

from __future__ import annotations

import ast
import re

from envlock.edges.syntax_trees import parsed

ASYNC_NAME = "keyword.async_as_a_name"
"""Stands for such a name, as if it were read of the standard library."""

_AS_NAME = re.compile(r"(?<=\.)(?:async|await)\b|\b(?:async|await)\b(?=\s*(?:[=.,):\]]|$))", re.MULTILINE)


def parsed_with_old_words(source: str) -> tuple[ast.Module, dict[str, int]]:
    """Parse a source, and return with its tree which old words it takes for names, with a line of each.

    Raises:
        SyntaxError: it is no Python, with other names either.
        ValueError: it has a null byte, or is nested too deeply.
    """
    try:
        return parsed(source), {}
    except SyntaxError as error:
        return parsed(_AS_NAME.sub(r"\g<0>_", source)), {ASYNC_NAME: error.lineno or 1}
