"""What ``setup.py`` imports of its own packages: to import those, it needs what they import.

Scripts from the time when people were told to install the dependencies first read their version from the
package itself (facexlib before 0.2.1.1, from a template that many research repositories share).
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection, Mapping

from envlock.edges.imports.modules import Module, modules_in
from envlock.edges.imports.statements import reads_on_import
from envlock.edges.index.setup_requires import demanded_modules, parsed_script

_THERE_ANYWAY = frozenset({*sys.stdlib_module_names, "distutils", "imp", "pkg_resources", "setuptools"})
"""Modules that none of the dependencies needs to bring."""


def demanded_packages(setup_py: str, packages: Collection[str]) -> frozenset[str]:
    """Return the top-level packages beside the script that it imports and cannot do without."""
    return frozenset(_tops(parsed_script(setup_py)) & set(packages))


def read_own_requires(
    setup_py: str, files: Mapping[str, str], dependencies: Collection[str]
) -> tuple[str, ...]:
    """Return a distribution's dependencies if its script imports modules of its own that import others'.

    All dependencies, because a module's name does not tell which distribution brings it.

    Args:
        setup_py: the script.
        files: path below the top folder -> text, including the sources of the packages that it demands.
        dependencies: canonical names of the distribution's dependencies.
    """
    own = modules_in(files)
    roots = [name for name in demanded_modules(parsed_script(setup_py)) if _top(name) in own]
    packages = [name for name in roots if own[_top(name)].is_package]
    return tuple(sorted(dependencies)) if _of_others(own, packages) else ()


def _of_others(own: Mapping[str, Module], roots: list[str]) -> set[str]:
    tops = {_top(name) for name in reads_on_import(own, roots)}
    return tops - _THERE_ANYWAY - {_top(name) for name in own}


def _tops(tree: ast.Module) -> set[str]:
    return {_top(name) for name in demanded_modules(tree)}


def _top(module: str) -> str:
    return module.partition(".")[0]
