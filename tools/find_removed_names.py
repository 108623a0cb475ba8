# ruff: noqa: INP001 - a script, no package
"""Find releases that look, while they are imported, for names that Python, NumPy and others took away.

usage: find_removed_names.py [--json FILE] DISTRIBUTION ...

For each distribution and each removal of ``removed_names.toml`` the first and the last release are looked for
that read such a name when they are imported. Read are the statements that run on import of the distribution's
top-level modules and of what these import of it; what stands in a ``try``, below an ``if``, or in a function
is passed over. Printed are proposals for facts, with file and line, for review.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from envlock.edges.cache import Cache, default_root
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.edges.pip_configuration import read_pip_configuration
from envlock.model.catalogue import DistFile, Release
from envlock.model.errors import EnvlockError

SINCE, UNTIL = "2018-01-01", "2026-12-31"
_SAMPLES = 14
_BESIDE = {"conftest", "docs", "examples", "setup", "test", "tests"}
LARGEST = 48 << 20
"""Bytes of an archive that is still worth its download."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """Names that a component no longer has since a version."""

    component: str
    since: str
    names: frozenset[str]
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A fact to review; ``mended`` is empty where the last release that was read still looks for the name."""

    distribution: str
    component: str
    since: str
    first: str
    last: str
    mended: str
    where: str
    name: str
    source: str


def removals() -> tuple[Removal, ...]:
    """What was removed, as written down."""
    document = tomllib.loads(Path(__file__).with_name("removed_names.toml").read_text())
    return tuple(
        Removal(
            component=one["component"],
            since=one["since"],
            names=frozenset(one["names"]),
            source=one["source"],
        )
        for one in document["removal"]
    )


def modules_of(path: Path) -> Mapping[str, str]:
    """Dotted name of a module -> its source, packages by their own name; of a wheel or an sdist."""
    sources: dict[str, str] = {}
    for name, content in _members(path):
        if not name.endswith(".py") or ".data/" in name:
            continue
        parts = name.removesuffix(".py").split("/")
        if parts[-1] == "__init__":
            parts.pop()
        if parts and all(part.isidentifier() for part in parts):
            sources[".".join(parts)] = content.decode("utf-8", "replace")
    return sources


def _members(path: Path) -> Iterator[tuple[str, bytes]]:
    if path.name.endswith((".whl", ".zip")):
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if name.endswith(".py")]
            strip = not path.name.endswith(".whl")
            for name in names:
                yield (name.partition("/")[2] if strip else name), archive.read(name)
        return
    with tarfile.open(path) as archive:
        for member in archive:
            if member.isfile() and member.name.endswith(".py"):
                inner = member.name.partition("/")[2].removeprefix("src/").removeprefix("lib/")
                opened = archive.extractfile(member)
                yield inner, opened.read() if opened else b""


class Imported(ast.NodeVisitor):
    """What runs when one module is imported: dotted names that it reads, with lines, and its imports."""

    def __init__(self, module: str, *, is_package: bool) -> None:
        self.reads: dict[str, int] = {}
        self.imports: list[str] = []
        self._package = module if is_package else module.rpartition(".")[0]
        self._aliases: dict[str, str] = {}
        self._postponed = False

    def visit_Import(self, node: ast.Import) -> None:
        """Modules by name."""
        for alias in node.names:
            self._note(alias.name, node.lineno)
            self.imports.append(alias.name)
            bound = alias.asname or alias.name.partition(".")[0]
            self._aliases[bound] = alias.name if alias.asname else bound

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Names out of modules, relative ones too."""
        package = self._package.split(".")
        base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
        module = ".".join(part for part in (base, node.module or "") if part)
        if module == "__future__":
            self._postponed |= any(alias.name == "annotations" for alias in node.names)
            return
        self.imports.append(module)
        self._note(module, node.lineno)
        for alias in node.names:
            full = f"{module}.{alias.name}"
            self._note(full, node.lineno)
            self.imports.append(full)
            self._aliases[alias.asname or alias.name] = full

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """A chain of names that begins with something imported."""
        parts: list[str] = []
        inner: ast.expr = node
        while isinstance(inner, ast.Attribute):
            parts.append(inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name) and inner.id in self._aliases:
            dotted = self._aliases[inner.id]
            for part in reversed(parts):
                dotted = f"{dotted}.{part}"
                self._note(dotted, node.lineno)
        else:
            self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Decorators, defaults and annotations; the body runs later."""
        for part in (*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(part)
        arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        for one in (*(argument.annotation for argument in arguments), node.returns):
            if one is not None and not self._postponed:
                self.visit(one)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def visit_Lambda(self, node: ast.Lambda) -> None:
        """Runs later."""

    def visit_Try(self, node: ast.Try) -> None:
        """May be meant for just that."""

    def visit_If(self, node: ast.If) -> None:
        """May depend on just that."""

    def visit_With(self, node: ast.With) -> None:
        """May suppress just that."""

    def _note(self, name: str, line: int) -> None:
        self.reads.setdefault(name, line)


def reads_on_import(sources: Mapping[str, str], roots: Sequence[str]) -> dict[str, str]:
    """Dotted name that is read on import of the roots -> file and line."""
    found: dict[str, str] = {}
    queue, seen = list(roots), set()
    while queue:
        module = queue.pop(0)
        while module and module not in sources:  # a name in a module, or a module of another distribution
            module = module.rpartition(".")[0]
        for name in _with_parents(module):
            if name in seen or name not in sources:
                continue
            seen.add(name)
            try:
                tree = ast.parse(sources[name])
            except (SyntaxError, ValueError):
                continue
            is_package = any(other.startswith(f"{name}.") for other in sources)
            visitor = Imported(name, is_package=is_package)
            visitor.visit(tree)
            for read, line in visitor.reads.items():
                found.setdefault(read, f"{name.replace('.', '/')}{'/__init__' * is_package}.py:{line}")
            queue.extend(visitor.imports)
    return found


def _with_parents(module: str) -> list[str]:
    parts = module.split(".")
    return [".".join(parts[: end + 1]) for end in range(len(parts))] if module else []


def roots_of(sources: Mapping[str, str], distribution: str) -> list[str]:
    """The top-level modules that a distribution is imported by: the one of its name, else all packages."""
    tops = {name.partition(".")[0] for name in sources} - _BESIDE
    flat = canonicalize_name(distribution).replace("-", "").replace("python", "")
    same = [top for top in tops if top.lower().replace("_", "").replace("python", "") == flat]
    packages = {name.partition(".")[0] for name in sources if "." in name}
    return same or sorted(tops & packages)


class Finder:
    """Looks at releases of one distribution, each once."""

    def __init__(self, catalogue: IndexCatalogue, distribution: str) -> None:
        self._catalogue = catalogue
        self._distribution = distribution
        self._read: dict[str, dict[str, str] | None] = {}
        self.releases = [
            release
            for release in reversed(catalogue.releases(distribution))
            if not release.version.is_prerelease
            and release.files
            and SINCE <= str(release.since or "") <= UNTIL
            and (file := self._file(release)) is not None
            and file.size <= LARGEST
        ]

    def proposals(self, every: Sequence[Removal]) -> Iterator[Proposal]:
        """The facts that its releases ask for."""
        for removal in every:
            if canonicalize_name(removal.component) == canonicalize_name(self._distribution):
                continue
            found = self._found(removal)
            if found is not None:
                yield found

    def _found(self, removal: Removal) -> Proposal | None:
        """Releases in a row that look for what was removed, their ends found between samples by halving."""
        end = len(self.releases) - 1
        samples = sorted({round(end * step / _SAMPLES) for step in range(_SAMPLES + 1)}) if end > 0 else []
        hits = [index for index in samples if self._hit(index, removal)]
        if not hits:
            return None
        unmended = hits[-1] == end
        last = end if unmended else self._edge(hits[-1], samples[samples.index(hits[-1]) + 1], removal)
        first = hits[0] if not hits[0] else self._edge(hits[0], samples[samples.index(hits[0]) - 1], removal)
        hit = self._hit(last, removal)
        if hit is None or self._excluded(self.releases[last], removal):
            return None
        return Proposal(
            distribution=self._distribution,
            component=removal.component,
            since=removal.since,
            first=self.releases[first].text,
            last=self.releases[last].text,
            mended="" if unmended else self.releases[last + 1].text,
            name=hit[0],
            where=hit[1],
            source=removal.source,
        )

    def _edge(self, hit: int, other: int, removal: Removal) -> int:
        """The release next to the other side of the edge that still looks for it."""
        while abs(other - hit) > 1:
            middle = (hit + other) // 2
            hit, other = (middle, other) if self._hit(middle, removal) else (hit, middle)
        return hit

    def _hit(self, index: int, removal: Removal) -> tuple[str, str] | None:
        reads = self._reads(self.releases[index])
        return next(((name, reads[name]) for name in sorted(removal.names) if name in reads), None)

    def _reads(self, release: Release) -> dict[str, str]:
        if release.text not in self._read:
            file = self._file(release)
            assert file is not None  # noqa: S101 - those without were left out
            sources = modules_of(self._catalogue.local_file(file))
            roots = roots_of(sources, self._distribution)
            self._read[release.text] = reads_on_import(sources, roots)
        return self._read[release.text] or {}

    def _file(self, release: Release) -> DistFile | None:
        """A wheel, for it holds what is imported; the sdist where there is none."""
        wheels = [file for file in release.files if file.is_wheel]
        linux = [file for file in wheels if "none-any" in file.filename or "manylinux" in file.filename]
        return next(iter(linux or [file for file in release.files if not file.is_wheel]), None)

    def _excluded(self, release: Release, removal: Removal) -> bool:
        """Whether the release's metadata keeps it from what it cannot work with already."""
        file = self._file(release)
        assert file is not None  # noqa: S101 - as above
        if removal.component == "python":
            return bool(file.requires_python) and not SpecifierSet(file.requires_python).contains(
                removal.since
            )
        try:
            metadata = self._catalogue.metadata(self._distribution, file)
        except EnvlockError:
            return False
        probe = Version(f"{removal.since}.999" if removal.since.count(".") else f"{removal.since}.0.999")
        return any(
            canonicalize_name(one.name) == removal.component
            and not SpecifierSet(one.specifier).contains(probe, prereleases=True)
            for one in metadata.requires_dist
        )


def main() -> int:
    """Print proposals."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("distributions", nargs="+")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    every, found = removals(), []
    with IndexCatalogue(read_pip_configuration(), Cache(default_root())) as catalogue:
        for name in arguments.distributions:
            try:
                for proposal in Finder(catalogue, name).proposals(every):
                    found.append(asdict(proposal))
                    print(  # noqa: T201
                        f"{name} {proposal.first} to {proposal.last} | {proposal.component} {proposal.since} "
                        f"| {proposal.name} in {proposal.where} | mended {proposal.mended or 'never'}",
                        flush=True,
                    )
            except EnvlockError as error:
                print(f"{name}: {error.message}", file=sys.stderr)  # noqa: T201
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
