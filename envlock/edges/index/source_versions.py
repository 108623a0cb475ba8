"""The name and version that sources state without being run; those of a repository often state none."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator, Mapping

from packaging.version import InvalidVersion, Version

from envlock.edges.index.core_metadata import read_raw
from envlock.edges.index.setup_cfg import read_setup_cfg
from envlock.edges.syntax_trees import parsed


def stated_version(files: Mapping[str, str]) -> str:
    """Return the version, canonical; empty if only running the code would tell.

    Args:
        files: path below the top folder -> text, as returned by ``read_telling_files``.
    """
    for text in _stated(files):
        try:
            return str(Version(text))
        except InvalidVersion:
            continue
    return ""


def stated_name(pyproject: Mapping[str, object]) -> str:
    """Return the name that a ``pyproject.toml`` states; empty for none."""
    return next((name for table in _tables(pyproject) if (name := str(_part(table, "name")))), "")


def _tables(pyproject: Mapping[str, object]) -> tuple[object, object]:
    """Return the tables that describe a project, or what stands in their places."""
    return pyproject.get("project"), _part(pyproject.get("tool"), "poetry")


def _stated(files: Mapping[str, str]) -> Iterator[str]:
    yield str(read_raw(files.get("PKG-INFO", "").encode()).get("version", ""))
    try:
        pyproject = tomllib.loads(files.get("pyproject.toml", ""))
    except tomllib.TOMLDecodeError:
        pyproject = {}
    for table in _tables(pyproject):
        yield str(_part(table, "version"))
    yield (read_setup_cfg(files.get("setup.cfg", "")) or {}).get("metadata", {}).get("version", "")
    yield from _of_script(files.get("setup.py", ""))


def _part(table: object, key: str) -> object:
    return table.get(key, "") if isinstance(table, dict) else ""


def _of_script(text: str) -> Iterator[str]:
    """Yield the ``version`` of the only ``setup`` call: a literal, or a name bound to a single one."""
    try:
        tree = parsed(text)
    except (SyntaxError, ValueError):
        return
    found = [
        word.value
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and getattr(call.func, "attr", getattr(call.func, "id", "")) == "setup"
        for word in call.keywords
        if word.arg == "version"
    ]
    if len(found) != 1:
        return
    (value,) = found
    if isinstance(value, ast.Name):
        bound = [
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign)
            and any(isinstance(one, ast.Name) and one.id == value.id for one in node.targets)
        ]
        if len(bound) != 1:
            return
        (value,) = bound
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        yield value.value
