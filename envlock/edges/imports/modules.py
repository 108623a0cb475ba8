"""The Python and compiled modules of a wheel or an sdist."""

from __future__ import annotations

import re
import sys
import tarfile
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from packaging.utils import canonicalize_name

from envlock.edges.archive_damage import damage_told_by
from envlock.edges.imports.c_library import promised_glibc, reads_of_c_library
from envlock.edges.imports.compiled import reads_of_compiled

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

_SOURCES = (".pyx", ".pxd", ".c", ".cc", ".cpp", ".cu", ".rs", ".f", ".f90", ".proto", ".py.in")
"""Suffixes of files from which modules are made."""


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


def modules_of(path: Path) -> Mapping[str, Module]:
    """Map dotted names to the modules of a file, packages by their own name.

    Raises:
        OSError, DamagedError: the file cannot be read.
    """
    sources: dict[str, str] = {}
    found: dict[str, Module] = {}
    promised = promised_glibc(path.name)
    for name, content in _members(path):
        if ".data/" in name:
            continue
        if name.endswith(".py"):
            sources[name] = content.decode("utf-8", "replace")
        elif dotted := _dotted(re.sub(_COMPILED, "", name)):
            reads = (*reads_of_compiled(content), *reads_of_c_library(content, promised))
            found[dotted] = Module(name, "", reads)
    return found | modules_in(sources)


def tells_all(path: Path) -> bool:
    """Whether a file shows all modules that are installed from it, as an sdist does if it generates none.

    Raises:
        OSError, DamagedError: the file cannot be read.
    """
    if path.name.endswith(".whl"):
        with damage_told_by(), zipfile.ZipFile(path) as archive:
            return not has_more(archive.namelist())
    if path.name.endswith(".zip"):
        return False
    with damage_told_by(), tarfile.open(path) as opened:
        return not any(name.endswith(_SOURCES) for name in opened.getnames())


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


def _members(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield paths and contents; an sdist's paths start below its top folder, and below ``src`` or ``lib``."""
    if path.name.endswith((".whl", ".zip")):
        is_wheel = path.name.endswith(".whl")
        with damage_told_by(), zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                if name.endswith((".py", ".so") if is_wheel else ".py"):
                    yield name if is_wheel else _inside(name), archive.read(name)
        return
    with damage_told_by(), tarfile.open(path) as opened:
        for member in opened:
            if member.isfile() and member.name.endswith(".py"):
                extracted = opened.extractfile(member)
                yield _inside(member.name), extracted.read() if extracted else b""


def _inside(name: str) -> str:
    return name.partition("/")[2].removeprefix("src/").removeprefix("lib/")


def roots_of(modules: Iterable[str], distribution: str) -> list[str]:
    """Return the modules by which a distribution is imported: the one of its name, else all packages.

    For a namespace that several distributions share, these are the packages inside: ``google.cloud.storage``,
    ``mkdocstrings_handlers.python``. What bears the name of a module of the interpreter is never imported,
    for that one comes first: ``pathlib`` and ``asyncio`` of the index are for interpreters without them.
    """
    names = set(modules)
    tops = {name.partition(".")[0] for name in names} - BESIDE - sys.stdlib_module_names
    flat = _flat(distribution)
    same = [top for top in tops if _flat(top) == flat]
    packages = {name.partition(".")[0] for name in names if "." in name}
    inside = [one for top in same or sorted(tops & packages) for one in _filled(top, names)]
    return [one for one in inside if _flat(one) == flat] or inside


def own_of(modules: Iterable[str]) -> frozenset[str]:
    """Return the packages and modules that belong to a distribution alone, with everything below them."""
    names = set(modules)
    return frozenset(one for top in {name.partition(".")[0] for name in names} for one in _filled(top, names))


def bundled_in(modules: Iterable[str]) -> frozenset[str]:
    """Return the top-level modules of others of which a distribution has copies inside.

    Such copies may be put on the path, so that ``import packaging`` finds one of them: setuptools from 71 on
    does so with ``setuptools/_vendor``, and asks for none of what lies there.
    """
    parts = (name.split(".") for name in modules)
    return frozenset(below for one in parts for folder, below in pairwise(one[1:]) if folder in _BUNDLES)


def _filled(package: str, names: Collection[str]) -> list[str]:
    """Return a package that has a file of its own, else those inside it that have."""
    if package in names:
        return [package]
    start = f"{package}."
    below = {start + name.removeprefix(start).partition(".")[0] for name in names if name.startswith(start)}
    return [one for child in sorted(below) for one in _filled(child, names)]


def _flat(name: str) -> str:
    return canonicalize_name(name).replace("-", "").replace("python", "")
