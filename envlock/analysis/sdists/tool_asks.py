"""What building an sdist asks of setuptools or Cython that later releases of them no longer do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from envlock.analysis.sdists.setup_keywords import asks_for_2to3
from envlock.analysis.sdists.setup_requires import parsed_script
from envlock.analysis.sdists.translated_sources import cython_sources, translates
from envlock.model.published.code_reads import CYTHON_LONG, USE_2TO3

_SCRIPT = "setup.py"
_UNREAD = re.compile(r"(?s:\"{3}.*?\"{3}|'{3}.*?'{3})|#[^\n]*")
"""Matches comments and strings of several lines."""
_LONG = re.compile(
    r"\bisinstance\s*\([^()]*,\s*(?:\([^()]*\blong\b[^()]*\)|long\s*)\)"
    r"|(?:\breturn|[=(,])\s*long\((?!\s*\*)|[{,]\s*long\s*:"
)
"""Matches uses of Python 2's ``long`` as an object; ``long`` as a type of C is another thing."""
_OWN_LONG = re.compile(r"\blong\s*=[^=]|\bimport\b[^\n]*\blong\b|^\s*IF\s", re.MULTILINE)
"""Matches where a source has a ``long`` of its own, or parts that Cython may leave out."""


def asked_of_tools(files: Mapping[str, str]) -> dict[str, str]:
    """Return names that stand for what is asked, each with its file and line.

    Args:
        files: path below the top folder -> text, as returned by ``read_metadata_files``.
    """
    return dict(_asked(files))


def _asked(files: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if "pyproject.toml" not in files and (line := asks_for_2to3(parsed_script(files.get(_SCRIPT, "")))):
        yield USE_2TO3, f"{_SCRIPT}:{line}"
    if translates(files):
        for path in cython_sources(files):
            if line := _line_of_long(files[path]):
                yield CYTHON_LONG, f"{path}:{line}"


def _line_of_long(text: str) -> int:
    """Return the line where Cython meets Python 2's ``long``; 0 if it does not, or the source has its own."""
    code = _UNREAD.sub(lambda match: "\n" * match[0].count("\n"), text)
    found = None if _OWN_LONG.search(code) else _LONG.search(code)
    return code.count("\n", 0, code.rindex("long", 0, found.end())) + 1 if found else 0
