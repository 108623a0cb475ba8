"""The build requirements of an old sdist, read from its files; no code is run.

setuptools runs ``setup.py`` and asks it for ``setup_requires``, with or without ``[build-system]``, and
whatever the script imports must be there. Too many requirements do little harm here; too few make builds fail
or, where the script catches the failure, produce wheels without their extension.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from envlock.analysis.sdists.setup_cfg import read_setup_cfg
from envlock.analysis.syntax_trees import parsed

_STATED = "setup_requires"

_CYTHON = "cython"

_BUILD_LIBRARIES: Mapping[str, str] = MappingProxyType(
    {
        **{name: name for name in (_CYTHON, "cffi", "mpi4py", "numpy", "pkgconfig", "pybind11", "torch")},
        **{name: name for name in ("pbr", "setuptools-rust", "setuptools-scm")},
        "skbuild": "scikit-build",
    }
)
"""Imported by scripts from the time when people were told to install them first: module -> distribution."""

_OF_NUMPY = "numpy.distutils"
"""Serves scripts alone: one that imports it, however late, is built by it."""

_PIP = "pip"
_PIP_WITH_MODULES = "pip<10"
"""Releases whose modules (``pip.req``) scripts may import, to read requirements files. From 10 on they are
below ``pip._internal`` (https://pip.pypa.io/en/stable/news/, 10.0.0b1)."""
_PIP_WITH_REQ = "pip<20.1"
"""Releases whose ``parse_requirements`` yields what has ``.req``; later it has ``.requirement``
(pip._internal.req.req_file of 20.0.2 and 20.1)."""


_FOR_HELPERS: Mapping[str, str] = MappingProxyType({"astropy-helpers": "numpy"})
"""Requirements of helper modules that sdists bundle from other distributions, by helper.

astropy-helpers gives every extension NumPy's header files (``get_numpy_include_path``), although the script
does not mention NumPy."""


_CIMPORTS = r"(?m)^[ \t]*(?:from[ \t]+([A-Za-z_]\w*)[\w.]*[ \t]+cimport\b|cimport[ \t]+([^#\n]+))"
"""Finds the declarations that a Cython source takes from other distributions, which lie beside their
modules."""


_NOTHING_BESIDE: Mapping[str, str] = MappingProxyType({})


def read_setup_requires(
    setup_py: str,
    setup_cfg: str,
    dependencies: Collection[str],
    beside: Mapping[str, str] = _NOTHING_BESIDE,
    *,
    translated: Iterable[str] = (),
    untranslated: bool = False,
    isolated: bool = False,
) -> tuple[str, ...]:
    """Return requirements besides setuptools and wheel, one per distribution and marker.

    Args:
        setup_py: the script, empty if there is none.
        setup_cfg: the file of that name, empty if there is none.
        dependencies: canonical names of the distribution's dependencies; those that the script imports may
            be needed for the build too.
        beside: the modules beside the script, by name; those that it imports are part of it.
        translated: the tree's Cython sources. If Cython is there, scripts have them translated even though
            the results lie beside them (implicit 0.4.4), so the dependencies that they cimport must be there.
        untranslated: whether it has Cython sources and a translation of none; a script that tries to import
            Cython then falls back to translations that are missing (eigency 1.77).
        isolated: whether ``pyproject.toml`` states the build requirements: then pip and others install
            nothing else, and the script does without what it can do without (fairseq 0.12.2, whose sdist
            lacks sources of what it would build if PyTorch were there).
    """
    tree = parsed_script(setup_py)
    parts = [tree, *(parsed_script(beside[name]) for name in _module_names(tree.body) if name in beside)]
    imported = [name for part in parts for name in _imported(part, dependencies, isolated=isolated)]
    translating = [_CYTHON for part in parts if _CYTHON in dependencies and _names_cython_sources(part)]
    found: dict[tuple[str, str], str] = {}
    if untranslated and not isolated and any(_CYTHON in _modules(ast.walk(part)) for part in parts):
        translating.append(_CYTHON)
    for text in stated_requires(tree, setup_cfg):
        try:
            stated = Requirement(text)
        except InvalidRequirement:
            continue
        found.setdefault((canonicalize_name(stated.name), str(stated.marker or "")), text)
    named = {name for name, _ in found}
    has_cython = _CYTHON in {*named, *imported, *translating} and not isolated
    taken = [name for text in translated if has_cython for name in _cimported(text) if name in dependencies]
    rest = dict.fromkeys((*imported, *translating, *taken))
    return (*found.values(), *(name for name in rest if name not in named))


def parsed_script(script: str) -> ast.Module:
    """Parse a script; an empty tree if it cannot be parsed."""
    try:
        return parsed(script)
    except (SyntaxError, ValueError):
        return ast.Module(body=[], type_ignores=[])


def stated_requires(script: ast.Module, setup_cfg: str) -> tuple[str, ...]:
    """Return ``setup_requires`` of both files, verbatim."""
    return (*_of_cfg(setup_cfg), *_of_script(script))


def _of_cfg(text: str) -> list[str]:
    stated = (read_setup_cfg(text) or {}).get("options", {}).get(_STATED, "")
    return [line.strip() for line in stated.replace(";\n", "\n").splitlines() if line.strip()]


def _of_script(tree: ast.Module) -> Iterator[str]:
    """Yield the literals given as ``setup_requires``: as an argument, in a dictionary or through a name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == _STATED:
            yield from _literals(node.value, tree)
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == _STATED:
                    yield from _literals(value, tree)
        elif isinstance(node, ast.Assign):
            target = node.targets[0]
            if isinstance(target, ast.Name) and target.id == _STATED:
                yield from _literals(node.value, tree)


def _literals(node: ast.expr, tree: ast.Module) -> Iterator[str]:
    """Yield the strings of a list, a single string, or those that a name is bound to anywhere."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, (ast.List, ast.Tuple)):
        yield from (
            element.value
            for element in node.elts
            if isinstance(element, ast.Constant) and isinstance(element.value, str)
        )
    elif isinstance(node, ast.Name):
        for other in ast.walk(tree):
            if isinstance(other, ast.Assign) and not isinstance(other.value, ast.Name):
                names = [target.id for target in other.targets if isinstance(target, ast.Name)]
                if node.id in names:
                    yield from _literals(other.value, tree)


def _imported(tree: ast.Module, dependencies: Collection[str], *, isolated: bool) -> Iterator[str]:
    """Yield what the script must import, and build libraries that it depends on and imports anywhere.

    Scripts often import the latter late, in a build command or to find header files.
    """
    for name in map(_canonical_top, demanded_modules(tree)):
        if name in _BUILD_LIBRARIES or name in dependencies:
            yield _BUILD_LIBRARIES.get(name, name)
    for name in _modules(ast.walk(tree)):
        if _FOR_HELPERS.get(name) in dependencies:
            yield _FOR_HELPERS[name]
    spared = set(_spared(tree))
    insisted = [node for node in ast.walk(tree) if node not in spared]
    for name in _modules(insisted if isolated else ast.walk(tree)):
        if _BUILD_LIBRARIES.get(name) in dependencies:
            yield _BUILD_LIBRARIES[name]
    if not isolated:
        yield from _of_pip(tree)
        if any(f"{name}.".startswith(f"{_OF_NUMPY}.") for name in _imports(insisted)):
            yield "numpy"


def _of_pip(tree: ast.Module) -> Iterator[str]:
    """Yield the pip by which a script reads requirements files, as it was there for scripts of that time."""
    modules = {name for name in _imports(ast.walk(tree)) if name.partition(".")[0] == _PIP}
    if any(name.startswith(f"{_PIP}._internal") for name in modules):
        read = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        yield _PIP if "requirement" in read or "req" not in read else _PIP_WITH_REQ
    elif modules:
        yield _PIP if modules == {_PIP} else _PIP_WITH_MODULES


def demanded_modules(tree: ast.Module) -> Iterator[str]:
    """Yield the dotted names that a script imports at its top level, or cannot do without anywhere."""
    insisted = (
        statement
        for node in ast.walk(tree)
        if isinstance(node, ast.Try) and _insists(node)
        for statement in node.body
    )
    yield from _imports((*tree.body, *insisted))


def _spared(tree: ast.Module) -> Iterator[ast.stmt]:
    """Yield statements whose failure the script catches before it continues."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Try) and node.handlers and not _insists(node):
            yield from node.body


def _names_cython_sources(tree: ast.Module) -> bool:
    """Whether it names Cython sources, which setuptools translates if Cython is there.

    Without Cython, setuptools assumes that the translated ones lie beside them.
    """
    texts = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return any(isinstance(text, str) and text.endswith(".pyx") for text in texts)


def _cimported(source: str) -> Iterator[str]:
    """Yield the canonical names of the top-level packages that a Cython source cimports."""
    for package, several in re.findall(_CIMPORTS, source):
        for name in (package,) if package else several.split(","):
            yield canonicalize_name(name.strip().partition(".")[0].partition(" ")[0])


def _insists(node: ast.Try) -> bool:
    """Whether the script ends, with a message of its own, if its ``try`` block fails."""
    return all(
        isinstance(part, ast.Raise) or _exits(part)
        for part in (handler.body[-1] for handler in node.handlers)
    )


def _exits(node: ast.stmt) -> bool:
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return False
    function = node.value.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in {"exit", "_exit", "quit"}


def _modules(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the canonical names of the top-level packages in import statements."""
    yield from map(_canonical_top, _imports(nodes))


def _module_names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for name in _imports(nodes):
        yield name.partition(".")[0]


def _canonical_top(module: str) -> str:
    return canonicalize_name(module.partition(".")[0])


def _imports(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the dotted names of the modules in import statements."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
