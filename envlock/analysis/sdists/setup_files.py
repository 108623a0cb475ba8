"""Dependencies that ``setup.cfg`` and ``setup.py`` state as plain text; no code is run.

A ``setup.py`` that mentions neither ``install_requires`` nor ``extras_require`` has no dependencies: it dates
from the time of distutils, unless it takes keywords from elsewhere (``setup_keywords``). One that does counts
only where nothing can hide: a single call of ``setup``, at the top level of the module, whose arguments are
literals or names bound once to a literal and used nowhere else. What it unpacks (``**``) has to be
dictionaries of the script that say nothing of dependencies.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from envlock.analysis.core_metadata import Fields
from envlock.analysis.sdists.egg_info import with_condition
from envlock.analysis.sdists.setup_cfg import read_setup_cfg
from envlock.analysis.sdists.setup_keywords import is_filled_by_pbr, is_setup, unpacks_others
from envlock.analysis.sdists.setup_requires import parsed_script
from envlock.analysis.syntax_trees import parsed

_TELLING = ("install_requires", "extras_require")
"""Without these words a ``setup.py`` itself states no dependencies."""

_WANTED = (*_TELLING, "python_requires")
"""The keywords of ``setup`` that are read."""

Value = object
"""The result of ``ast.literal_eval``."""


class NotPlainError(Exception):
    """Only running the code would tell."""


def read_setup_files(setup_py: str, setup_cfg: str, needed: Iterable[str] = ()) -> Fields | None:
    """Return what both files state; ``None`` if only running the code would tell.

    setup.cfg takes precedence, as it does in setuptools.

    Args:
        setup_py: the script, empty if there is none.
        setup_cfg: the file of that name, empty if there is none.
        needed: keywords of ``setup`` without which the files do not tell all.
    """
    if not setup_py and not setup_cfg:
        return None
    script = parsed_script(setup_py)
    try:
        stated = _from_cfg(setup_cfg)
        if any(word in setup_py for word in _TELLING):
            stated = _from_py(setup_py) | stated
        elif _TELLING[0] not in stated and unpacks_others(script):
            return None
        if is_filled_by_pbr(script, setup_cfg) or not stated.keys() >= set(needed):
            return None
        return _fields(stated)
    except NotPlainError:
        return None


def _fields(options: dict[str, Value]) -> Fields:
    requires = _lines(options.get("install_requires", []))
    extras = options.get("extras_require", {})
    if not isinstance(extras, dict):
        raise NotPlainError
    names: dict[str, None] = {}
    for section, lines in extras.items():
        extra, _, marker = str(section).partition(":")
        names |= {extra: None} if extra else {}
        requires += [with_condition(line, extra, marker) for line in _lines(lines)]
    python = options.get("python_requires", "")
    if not isinstance(python, str):
        raise NotPlainError
    return Fields(requires_dist=tuple(requires), requires_python=python, provides_extra=tuple(names))


def _lines(value: Value) -> list[str]:
    """Return the requirements of a list of texts, or of one text with a requirement per line."""
    if isinstance(value, str):
        lines = [line.partition(" #")[0].strip() for line in value.splitlines()]
        return [line for line in lines if line and not line.startswith("#")]
    if isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value):
        return [str(item) for item in value]
    raise NotPlainError


def _from_cfg(text: str) -> dict[str, Value]:
    sections = read_setup_cfg(text)
    if sections is None:
        raise NotPlainError
    stated = sections.get("options", {})
    options: dict[str, Value] = {
        name: stated[name] for name in ("install_requires", "python_requires") if stated.get(name)
    }
    if "options.extras_require" in sections:
        options["extras_require"] = dict(sections["options.extras_require"])
    if any(str(value).lstrip().startswith(("file:", "attr:")) for value in options.values()):
        raise NotPlainError
    return options


def _from_py(text: str) -> dict[str, Value]:
    try:
        tree = parsed(text)
    except (SyntaxError, ValueError):
        raise NotPlainError from None
    call = _setup_call(tree)
    if call.args or _may_unpack_wanted(call, tree):
        raise NotPlainError
    return {
        argument.arg: _value(argument.value, tree)
        for argument in call.keywords
        if argument.arg and argument.arg in _WANTED
    }


def _may_unpack_wanted(call: ast.Call, tree: ast.Module) -> bool:
    """Whether what a call unpacks may hold keywords that are read: it is not all to be seen, or names one."""
    if all(argument.arg is not None for argument in call.keywords):
        return False
    others = (node for node in ast.walk(tree) if node not in call.keywords)
    return unpacks_others(tree) or any(
        (isinstance(node, ast.Constant) and node.value in _WANTED)
        or (isinstance(node, ast.keyword) and node.arg in _WANTED)
        for node in others
    )


def _setup_call(tree: ast.Module) -> ast.Call:
    """Return the only call of ``setup`` in the file, which must be a statement at module level."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and is_setup(node.func)]
    top = [node.value for node in tree.body if isinstance(node, ast.Expr)]
    if len(calls) == 1 and any(calls[0] is value for value in top):
        return calls[0]
    raise NotPlainError


def _value(node: ast.expr, tree: ast.Module) -> Value:
    if isinstance(node, ast.Name):
        node = _bound_once(node.id, tree)
    try:
        value: Value = ast.literal_eval(node)
    except (ValueError, TypeError):
        raise NotPlainError from None
    return value


def _bound_once(name: str, tree: ast.Module) -> ast.expr:
    """Return a name's value if the module binds it once and then only passes it to ``setup``."""
    uses = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == name]
    for node in tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and len(uses) == len(("bound", "passed")):
            target = node.targets[0]
            if isinstance(target, ast.Name) and target.id == name:
                return node.value
    raise NotPlainError
