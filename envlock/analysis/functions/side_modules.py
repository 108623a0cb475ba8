"""Which modules of a distribution few people use, or are copies of others'."""

from __future__ import annotations

from envlock.analysis.imports.modules import BESIDE

_ASIDE = (BESIDE - {"tools"}) | {
    *("__main__", "_testing", "_vendor", "benchmark", "cli", "commands", "compat", "contrib", "demo"),
    *("demos", "deprecated", "example", "experimental", "extern", "externals", "legacy", "testing"),
    *("third_party", "vendor", "vendored", "version"),
}
"""Modules within a package that few people use, or that are copies of others'. Some of these names are public
there (``statsmodels.tools``)."""


def is_side_module(module: str) -> bool:
    """Whether a module is none that a distribution is used for, by its name or that of a package above it."""
    parts = module.split(".")
    of_few = any(part.startswith(("test", "convert_")) or part.endswith("_test") for part in parts)
    return of_few or parts[0] in BESIDE or not _ASIDE.isdisjoint(parts)
