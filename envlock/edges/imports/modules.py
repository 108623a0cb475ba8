"""The Python modules of a wheel or an sdist."""

from __future__ import annotations

import tarfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from packaging.utils import canonicalize_name

_BESIDE = frozenset(
    {"benchmarks", "conftest", "doc", "docs", "examples", "scripts", "setup", "test", "tests", "tools"}
)
"""Modules beside those that people import."""


class Module(NamedTuple):
    """One module: its file inside the distribution, and its source."""

    file: str
    source: str

    @property
    def is_package(self) -> bool:
        """Whether relative imports in it begin at itself."""
        return self.file.rpartition("/")[2] == "__init__.py"


def modules_of(path: Path) -> Mapping[str, Module]:
    """Dotted name of a module -> the module, packages by their own name.

    Raises:
        OSError, zipfile.BadZipFile, tarfile.TarError, EOFError: the file cannot be read.
    """
    return modules_in(
        {name: content.decode("utf-8", "replace") for name, content in _members(path) if ".data/" not in name}
    )


def modules_in(files: Mapping[str, str]) -> Mapping[str, Module]:
    """The same of files that were read before, by their paths; those that are no modules are left out."""
    found: dict[str, Module] = {}
    for path, source in files.items():
        parts = path.removesuffix(".py").split("/")
        if parts[-1] == "__init__":
            parts.pop()
        if path.endswith(".py") and parts and all(part.isidentifier() for part in parts):
            found[".".join(parts)] = Module(path, source)
    return found


def _members(path: Path) -> Iterator[tuple[str, bytes]]:
    """Of an sdist without the folder that holds all, and those that hold packages."""
    if path.name.endswith((".whl", ".zip")):
        is_wheel = path.name.endswith(".whl")
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                if name.endswith(".py"):
                    yield name if is_wheel else _inside(name), archive.read(name)
        return
    with tarfile.open(path) as opened:
        for member in opened:
            if member.isfile() and member.name.endswith(".py"):
                extracted = opened.extractfile(member)
                yield _inside(member.name), extracted.read() if extracted else b""


def _inside(name: str) -> str:
    return name.partition("/")[2].removeprefix("src/").removeprefix("lib/")


def roots_of(modules: Iterable[str], distribution: str) -> list[str]:
    """The top-level modules that a distribution is imported by: the one of its name, else all packages."""
    names = list(modules)
    tops = {name.partition(".")[0] for name in names} - _BESIDE
    flat = _flat(distribution)
    same = [top for top in tops if _flat(top) == flat]
    packages = {name.partition(".")[0] for name in names if "." in name}
    return same or sorted(tops & packages)


def _flat(name: str) -> str:
    return canonicalize_name(name).replace("-", "").replace("python", "")
