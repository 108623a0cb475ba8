"""What half of a package's modules look for, where importing the package itself runs none of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from envlock.analysis.imports.modules import BESIDE, Module
from envlock.analysis.imports.statements import RunOnImport

MOST_PUBLIC = 60
"""A package with more public modules has parts that people use one by one."""


def reads_of_half(modules: Mapping[str, Module], roots: Sequence[str]) -> dict[str, str]:
    """Map what compiled modules look for to the file of one that half of the public modules import.

    It is empty if the roots import any of their own modules: what people use of a package is then what it
    imports. Otherwise (``pycocotools``, whose ``__init__.py`` is empty) they use the public modules.
    """
    run = RunOnImport(modules)
    if not any(module.reads for module in modules.values()) or run.with_these(roots) - {*roots}:
        return {}
    public = [module for module in modules if module.rpartition(".")[0] in roots and _is_public(module)]
    if len(public) > MOST_PUBLIC:
        return {}
    importing = Counter(module for each in public for module in run.with_these([each]))
    shared = (one for one, count in importing.items() if count * 2 >= len(public))
    return {read: modules[module].file for module in shared for read in modules[module].reads}


def _is_public(module: str) -> bool:
    name = module.rpartition(".")[2]
    return not name.startswith(("_", "test")) and name not in BESIDE
