"""The Python and compiled modules of a distribution, by the paths of its files."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from itertools import pairwise
from typing import NamedTuple

from packaging.utils import canonicalize_name

from envlock.analysis.standard_library import STANDARD_MODULES

BESIDE = frozenset(
    {"benchmarks", "conftest", "doc", "docs", "examples", "scripts", "setup", "test", "tests", "tools"}
)
"""Modules beside those that people import."""

_BUNDLES = frozenset({"_vendor", "_vendored", "vendor", "vendored"})
"""Folders inside a package that hold copies of others' modules."""

_COMPILED = r"(\.(cpython-|abi3)[^/]*)?\.so$"
"""Suffix of compiled modules, with the tag of the interpreters that they are for (PEP 3149, PEP 384)."""


_BESIDE_PACKAGES = r"\.data/(purelib|platlib)/"
"""Where wheels may have modules that are not analysed."""


class Module(NamedTuple):
    """One module.

    Attributes:
        file: its path inside the distribution.
        source: its Python code; empty for a compiled one.
        reads: what a compiled one looks for on import.
    """

    file: str
    source: str
    reads: tuple[str, ...] = ()

    @property
    def is_package(self) -> bool:
        """Whether its relative imports start at itself."""
        return self.file.rpartition("/")[2] == "__init__.py"

    @property
    def is_python(self) -> bool:
        """Whether its text shows what it has."""
        return self.file.endswith(".py")


def has_more(names: Iterable[str]) -> bool:
    """Whether a wheel with these members brings modules that are not analysed."""
    return any(map(re.compile(_BESIDE_PACKAGES).search, names))


def compiled_in(paths: Iterable[str]) -> dict[str, Module]:
    """Return the compiled modules among some paths, of which nothing else is known."""
    dotted = {path: _dotted(re.sub(_COMPILED, "", path)) for path in paths if re.search(_COMPILED, path)}
    return {name: Module(path, "") for path, name in dotted.items() if name}


def modules_in(files: Mapping[str, str]) -> dict[str, Module]:
    """Return the modules among Python files, given by path with their text."""
    dotted = {path: _dotted(path.removesuffix(".py")) for path in files if path.endswith(".py")}
    return {name: Module(path, files[path]) for path, name in dotted.items() if name}


def _dotted(path: str) -> str:
    """Return the import name of a file without its suffix; empty if it has none."""
    parts = path.split("/")
    if parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts) if all(part.isidentifier() for part in parts) else ""


def roots_of(modules: Iterable[str], distribution: str) -> list[str]:
    """Return the modules by which a distribution is imported: the one of its name, else all packages.

    For a namespace that several distributions share, these are the packages inside: ``google.cloud.storage``,
    ``mkdocstrings_handlers.python``. What bears the name of a module of the interpreter is never imported,
    for that one comes first: ``pathlib`` and ``asyncio`` of the index are for interpreters without them.
    """
    names = set(modules)
    tops = {name.partition(".")[0] for name in names} - BESIDE - STANDARD_MODULES
    flat = _flat(distribution)
    same = [top for top in tops if _flat(top) == flat]
    packages = {name.partition(".")[0] for name in names if "." in name}
    inside = [package for top in same or sorted(tops & packages) for package in _filled(top, names)]
    return [package for package in inside if _flat(package) == flat] or inside


def own_of(modules: Iterable[str]) -> frozenset[str]:
    """Return the packages and modules that belong to a distribution alone, with everything below them."""
    names = set(modules)
    return frozenset(
        package for top in {name.partition(".")[0] for name in names} for package in _filled(top, names)
    )


def bundled_in(modules: Iterable[str]) -> frozenset[str]:
    """Return the top-level modules of others of which a distribution has copies inside.

    Such copies may be put on the path, so that ``import packaging`` finds one of them: setuptools from 71 on
    does so with ``setuptools/_vendor``, and asks for none of what lies there.
    """
    parts = (name.split(".") for name in modules)
    return frozenset(below for part in parts for folder, below in pairwise(part[1:]) if folder in _BUNDLES)


def _filled(package: str, names: Collection[str]) -> list[str]:
    """Return a package that has a file of its own, else those inside it that have."""
    if package in names:
        return [package]
    start = f"{package}."
    below = {start + name.removeprefix(start).partition(".")[0] for name in names if name.startswith(start)}
    return [inside for child in sorted(below) for inside in _filled(child, names)]


def _flat(name: str) -> str:
    return canonicalize_name(name).replace("-", "").replace("python", "")
