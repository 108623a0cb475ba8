"""The name and version that sources state without being run; those of a repository often state none."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping

from packaging.version import Version

from envlock.analysis.core_metadata import read_raw
from envlock.analysis.sdists.setup_cfg import read_setup_cfg
from envlock.analysis.syntax_trees import parsed
from envlock.model.decode import table_within

_NAME = re.compile(r"[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?")


def stated_version(files: Mapping[str, str]) -> str:
    """Return the version, canonical; empty if only running the code would tell.

    Args:
        files: path below the top folder -> text, as returned by ``read_metadata_files``.
    """
    for text in _stated(files, "version"):
        try:
            return str(Version(text))
        except ValueError:  # also for a number with more digits than Python parses
            continue
    return ""


def stated_name(files: Mapping[str, str]) -> str:
    """Return the distribution's name as it is written; empty if only running the code would tell.

    Args:
        files: path below the top folder -> text.
    """
    return next((text for text in _stated(files, "name") if _NAME.fullmatch(text)), "")


def read_pyproject(files: Mapping[str, str]) -> Mapping[str, object]:
    """Return the ``pyproject.toml`` among sources; empty where there is none that can be read."""
    try:
        return tomllib.loads(files.get("pyproject.toml", ""))
    except (ValueError, RecursionError):  # not only for its syntax: thousands of digits, or of brackets
        return {}


def _stated(files: Mapping[str, str], key: str) -> Iterator[str]:
    yield str(read_raw(files.get("PKG-INFO", "").encode()).get(key, ""))
    pyproject = read_pyproject(files)
    for path in (("project",), ("tool", "poetry")):
        yield str(table_within(pyproject, *path).get(key, ""))
    yield (read_setup_cfg(files.get("setup.cfg", "")) or {}).get("metadata", {}).get(key, "")
    yield from _of_script(files.get("setup.py", ""), key)


def _of_script(text: str, key: str) -> Iterator[str]:
    """Yield a keyword of the only ``setup`` call: a literal, or a name bound to a single one."""
    try:
        tree = parsed(text)
    except (SyntaxError, ValueError):
        return
    found = [
        word.value
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and getattr(call.func, "attr", getattr(call.func, "id", "")) == "setup"
        for word in call.keywords
        if word.arg == key
    ]
    if len(found) != 1:
        return
    (value,) = found
    if isinstance(value, ast.Name):
        bound = [
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign)
            and any(isinstance(target, ast.Name) and target.id == value.id for target in node.targets)
        ]
        if len(bound) != 1:
            return
        (value,) = bound
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        yield value.value
