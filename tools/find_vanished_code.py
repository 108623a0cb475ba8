# ruff: noqa: INP001, T201 - a script, no package
"""Print what the modules of a later release no longer have, as tables for ``knowledge/removals/``.

usage: find_vanished_code.py [--python cp310] DISTRIBUTION VERSION VERSION ...

As ``find_vanished_names.py``, without installing or running anything: only the Python modules of the
wheels are read, by range requests, so that frameworks of a gigabyte cost some megabytes; of a release
without wheels, the folder of its sdist that the distribution is named after. A module or a
name is gone where the earlier release defines it (or its package imports it to hand it on) and the later
one neither defines nor imports it. Modules that make names while they run are judged only where the name
is nowhere in the later release's code, and those that take names from compiled ones not at all; what the
last release has again is left out.
"""

from __future__ import annotations

import argparse
import ast
import datetime as dt
import re
import sys
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, cast

from envlock.edges.cache import Cache, default_root
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.edges.index.range_file import RangeFile
from envlock.edges.knowledge_toml import canonical_text
from envlock.edges.pip_configuration import read_pip_configuration
from envlock.model.component import parse_version
from envlock.model.published.catalogue import DistFile

_GAP = 1 << 18
"""Bytes between modules that are fetched rather than asked around."""
_SHORT = 3
_WORD = re.compile(r"[A-Za-z_]\w*")
_STORED = re.compile(r"\.([A-Za-z_]\w*)\s*=[^=]")
_QUOTED = re.compile(r"[\"']([A-Za-z_][\w.]*)[\"']")
_MAKES_NAMES = re.compile(
    r"__getattr__|globals\(\)|vars\(\)|locals\(\)|setattr\(|\bexec\(|sys\.modules|__path__"
)
_BESIDE = re.compile(r"(^|\.)(tests?|testing|conftest|test_\w+)(\.|$)")


class Bound(ast.NodeVisitor):
    """The names that a module binds: those of its own, and those of others."""

    def __init__(self, top: str, *, hands_on: bool) -> None:
        self.own: set[str] = set()
        self.others: set[str] = set()
        self.stars: list[tuple[int, str]] = []
        self._top, self._hands_on = top, hands_on

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        """Binds its name; what is inside is its own matter."""
        self.own.add(node.name)

    visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef  # noqa: N815

    def visit_Lambda(self, node: ast.Lambda) -> None:
        """Binds nothing outside."""

    def visit_Name(self, node: ast.Name) -> None:
        """An assignment."""
        if isinstance(node.ctx, ast.Store):
            self.own.add(node.id)

    def visit_Global(self, node: ast.Global) -> None:
        """A name of the module that a function sets."""
        self.own.update(node.names)

    def visit_Import(self, node: ast.Import) -> None:
        """Modules, mostly of others."""
        for alias in node.names:
            mine = alias.name.partition(".")[0] == self._top
            (self.own if mine else self.others).add(alias.asname or alias.name.partition(".")[0])

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Only what a package imports of its own is meant to be found there."""
        mine = self._hands_on and (node.level > 0 or (node.module or "").partition(".")[0] == self._top)
        for alias in node.names:
            if alias.name == "*":
                self.stars.append((node.level, node.module or ""))
            else:
                (self.own if mine else self.others).add(alias.asname or alias.name)


class Modules:
    """The modules of one release."""

    def __init__(self, files: Mapping[str, str], every: list[str]) -> None:
        self.sources = {_dotted(name): text for name, text in files.items()}
        self._packages = {_dotted(name) for name in files if name.endswith("__init__.py")}
        self._places = {place for name in every for place in _places(name)}
        self._bound: dict[str, tuple[set[str], set[str], bool, bool]] = {}
        whole = "\n".join(files.values())
        self.words, self.stored = set(_WORD.findall(whole)), set(_STORED.findall(whole))
        makers = (text for text in files.values() if "sys.modules" in text)
        self.made = {name for text in makers for name in _QUOTED.findall(text)}

    def has(self, module: str) -> bool:
        """Whether there is such a module, compiled ones among them."""
        return module in self.sources or module.replace(".", "/") in self._places

    def bound(self, module: str, above: tuple[str, ...] = ()) -> tuple[set[str], set[str], bool, bool]:
        """Names of its own, of others; whether it makes names; whether some come from what cannot be read."""
        if module in self._bound or module in above:
            return self._bound.get(module, (set(), set(), False, False))
        if module not in self.sources:
            return set(), set(), False, True
        text = self.sources[module]
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            return set(), set(), False, True
        visitor = Bound(module.partition(".")[0], hands_on=module in self._packages)
        visitor.visit(tree)
        makes, unread = bool(_MAKES_NAMES.search(text)), False
        for level, name in visitor.stars:
            inner = self.bound(self._target(module, level, name), (*above, module))
            visitor.own |= inner[0]
            visitor.others |= inner[1]
            makes, unread = makes or inner[2], unread or inner[3]
        self._bound[module] = visitor.own, visitor.others, makes, unread
        return self._bound[module]

    def _target(self, module: str, level: int, name: str) -> str:
        if not level:
            return name
        base = module.split(".") if module in self._packages else module.split(".")[:-1]
        return ".".join([*base[: len(base) - level + 1], *filter(None, [name])])


def gone(old: Modules, new: Modules) -> Iterator[str]:
    """What the later release no longer has; nothing below what is gone as a whole."""
    for module in sorted(old.sources):
        if _BESIDE.search(module):
            continue
        if not new.has(module):
            package, _, last = module.rpartition(".")
            if module in new.made or not new.has(package or module):
                continue
            own, others, makes, _ = new.bound(package)
            if last not in own | others and not (makes and last in new.words):
                yield module
                continue
            # something else of that name is in the package, as a function that the module was named after
            handed_on = Bound(module.partition(".")[0], hands_on=True)
            handed_on.visit(ast.parse(old.sources[module]))
            inside = old.bound(module)[0] | handed_on.own
            yield from (f"{module}.{name}" for name in sorted(inside) if len(name) >= _SHORT)
            continue
        own, others, makes, unread = new.bound(module)
        if unread or module not in new.sources:
            continue
        for name in sorted(old.bound(module)[0] - own - others - new.stored):
            hidden = name.startswith("__") or len(name) < _SHORT or (makes and name in new.words)
            if not hidden and not new.has(f"{module}.{name}"):
                yield f"{module}.{name}"


def _dotted(name: str) -> str:
    return name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _places(name: str) -> list[str]:
    parts = name.split("/")
    parts[-1] = parts[-1].partition(".")[0]
    return ["/".join(parts[: end + 1]) for end in range(len(parts))]


def _modules(catalogue: IndexCatalogue, distribution: str, version: str, python: str) -> Modules:
    wanted = parse_version(version)
    release = next(one for one in catalogue.releases(distribution) if one.version == wanted)
    wheels = [one for one in release.files if one.is_wheel]
    if not wheels:
        return _packed(catalogue.local_file(release.files[0]), distribution.replace("-", "_"))
    file = max(wheels, key=lambda one: _fitness(one, python))
    remote = RangeFile(lambda span: catalogue.http.get_part(file.url, span))
    with zipfile.ZipFile(cast("IO[bytes]", remote)) as archive:
        infos = [one for one in archive.infolist() if one.filename.endswith(".py")]
        runs: list[list[int]] = []
        for info in sorted(infos, key=lambda one: one.header_offset):
            end = info.header_offset + info.compress_size + 600
            if runs and info.header_offset - runs[-1][1] < _GAP:
                runs[-1][1] = max(end, runs[-1][1])
            else:
                runs.append([info.header_offset, end])
        for start, end in runs:
            remote.span(start, min(end, remote.size))
        texts = {one.filename: archive.read(one).decode("utf-8", "replace") for one in infos}
        return Modules(texts, archive.namelist())


def _packed(sdist: Path, package: str) -> Modules:
    with tarfile.open(sdist) as archive:
        files = {one.name.partition("/")[2]: one for one in archive if one.isfile()}
        inside = {name: one for name, one in files.items() if name.startswith(f"{package}/")}
        texts = {
            name: cast("IO[bytes]", archive.extractfile(one)).read().decode("utf-8", "replace")
            for name, one in inside.items()
            if name.endswith(".py")
        }
        return Modules(texts, list(inside))


def _fitness(file: DistFile, python: str) -> tuple[bool, bool]:
    return "linux" in file.filename and "x86_64" in file.filename, python in file.filename


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("distribution")
    parser.add_argument("versions", nargs="+")
    parser.add_argument("--python", default="cp310")
    asked = parser.parse_args()
    with IndexCatalogue(read_pip_configuration(), Cache(default_root())) as catalogue:
        read = [_modules(catalogue, asked.distribution, one, asked.python) for one in asked.versions]
    told: set[str] = set()
    for before, after, old, new in zip(asked.versions, asked.versions[1:], read, read[1:], strict=False):
        still = set(gone(old, read[-1]))
        names = sorted({name for name in gone(old, new) if name in still} - told)
        told.update(names)
        title = f"seen: in the modules of {asked.distribution} {before}, and not in those of {after}"
        sources = [{"title": title, "checked": dt.datetime.now(dt.UTC).date()}]
        row = {"component": asked.distribution, "since": after, "names": names, "sources": sources}
        if names:
            print(canonical_text({"removal": [row]}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
