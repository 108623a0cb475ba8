"""What ``setup.py`` imports of its own packages: to import those, it needs what they import.

Scripts from the time when people were told to install the dependencies first read their version from the
package itself (facexlib before 0.2.1.1, from a template that many research repositories share).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping

from envlock.analysis.imports.modules import Module, modules_in
from envlock.analysis.imports.statements import reads_on_import
from envlock.analysis.sdists.setup_requires import demanded_modules, parsed_script
from envlock.analysis.standard_library import STANDARD_MODULES

_THERE_ANYWAY = frozenset({*STANDARD_MODULES, "pkg_resources", "setuptools"})
"""Modules that none of the dependencies needs to bring."""


PackageSources = Callable[[Collection[str]], Mapping[str, str]]
"""Reads top-level packages: their names -> path below the top folder -> text, of all modules in them."""


def no_packages(_: Collection[str]) -> Mapping[str, str]:
    """Read none, where no package lies beside the script."""
    return {}


PACKAGE = r"(?P<name>[^/]+)/__init__\.py"
"""A package that ``setup.py`` can import, because the script runs in its parent folder."""


def read_own_requires(
    setup_py: str, files: Mapping[str, str], dependencies: Collection[str], sources: PackageSources
) -> tuple[str, ...]:
    """Return a distribution's dependencies if its script imports modules of its own that import others'.

    All dependencies, because a module's name does not tell which distribution brings it.

    Args:
        setup_py: the script.
        files: path below the top folder -> text, including ``__init__.py`` of the packages beside the script.
        dependencies: canonical names of the distribution's dependencies.
        sources: reads packages, of which only those that the script demands are needed, and seldom any.
    """
    beside = {found["name"] for found in map(re.compile(PACKAGE).fullmatch, files) if found}
    roots = [name for name in demanded_modules(parsed_script(setup_py)) if _top(name) in beside]
    if not roots or not dependencies:
        return ()
    own = modules_in({**files, **sources({_top(name) for name in roots})})
    return tuple(sorted(dependencies)) if _of_others(own, roots) else ()


def _of_others(own: Mapping[str, Module], roots: list[str]) -> set[str]:
    tops = {_top(name) for name in reads_on_import(own, roots)}
    return tops - _THERE_ANYWAY - {_top(name) for name in own}


def _top(module: str) -> str:
    return module.partition(".")[0]
