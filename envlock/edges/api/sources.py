"""The Python sources of a wheel or an sdist, unpacked for reading; none of them are run."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from envlock.analysis.syntax_trees import parsed
from envlock.edges.archive_damage import damage_raised_as
from envlock.edges.archive_members import member_names, read_members
from envlock.model.frozen import dataclass

_SOURCES = (".py", ".pyi")
_COMPILED = (".so", ".pyd")
_NO_API = frozenset({"test", "tests", "conftest", "testing_data", "docs", "doc", "examples", "benchmarks"})
_MAIN = frozenset({"__name__ == '__main__'", "'__main__' == __name__"})
_NOTHING = b"if __name__ == '__main__': pass\n"
"""Takes the place of what only a program runs; an ``else``, which an import runs, may follow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """The unpacked sources.

    Attributes:
        packages: top-level packages and modules with sources.
        modules: dotted names of modules with sources.
        compiled: dotted names of modules that exist only in compiled form.
    """

    packages: tuple[str, ...]
    modules: frozenset[str]
    compiled: frozenset[str]


def unpack_sources(file: Path, folder: Path) -> Sources:
    """Unpack the sources that a distribution installs, without tests and code that only programs run.

    Raises:
        DamagedError: the file is not a whole wheel or sdist.
    """
    with damage_raised_as():
        placed = _of_wheel if file.suffix == ".whl" else _of_sdist
        found = {name: path for name, path in placed(member_names(file)) if _counts(path)}
        sources = {name: path for name, path in found.items() if path.suffix in _SOURCES}
        for name, content in read_members(file, lambda name, _size: name in sources):
            place = folder / sources[name]
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(_importable(content.read()))
    written = set(map(_module, sources.values()))
    compiled = {_module(path) for path in found.values() if path.suffix in _COMPILED} - written
    tops = {path.parts[0].removesuffix(".py") for path in sources.values()}
    return Sources(
        packages=tuple(sorted(filter(str.isidentifier, tops))),
        modules=frozenset(written),
        compiled=frozenset(compiled),
    )


def _of_wheel(names: Iterable[str]) -> Iterator[tuple[str, PurePosixPath]]:
    """Yield each member of a wheel with its place among the packages."""
    for name in names:
        path = PurePosixPath(name)
        top = path.parts[0] if path.parts else ""
        if not top.endswith((".data", ".dist-info")):
            yield name, path
        elif path.parts[1:2] in {("purelib",), ("platlib",)}:
            yield name, PurePosixPath(*path.parts[2:])


def _of_sdist(names: Iterable[str]) -> Iterator[tuple[str, PurePosixPath]]:
    """Yield the packages at the top of a source tree or in ``src``; loose modules belong to its build."""
    inner = {name: _without_root(PurePosixPath(name)) for name in names}
    packages = {path.parts[0] for path in inner.values() if path.parts[1:] == ("__init__.py",)}
    yield from ((name, path) for name, path in inner.items() if path.parts and path.parts[0] in packages)


def _without_root(path: PurePosixPath) -> PurePosixPath:
    parts = path.parts[1:]
    return PurePosixPath(*(parts[1:] if parts[:1] == ("src",) else parts))


def _counts(path: PurePosixPath) -> bool:
    """Whether a file is part of the interface: no test, and not outside the folder."""
    parts = [*path.parts[:-1], path.name.partition(".")[0]]
    if path.is_absolute() or not all(map(str.isidentifier, parts)):
        return False
    return not (_NO_API & set(parts) or path.name.startswith("test_"))


def _module(path: PurePosixPath) -> str:
    """Return the dotted name of a module's file; ``x.cpython-311-x86_64-linux-gnu.so`` is ``x``."""
    parts = [*path.parts[:-1], path.name.partition(".")[0]]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _importable(content: bytes) -> bytes:
    """Return what an import runs: the names that only a program binds would hide those of the module."""
    if b"__main__" not in content:
        return content
    try:
        tree = parsed(content.decode("utf-8-sig", "replace"))
    except (SyntaxError, ValueError):
        return content
    lines = content.splitlines(keepends=True)
    for node in reversed(tree.body):
        if isinstance(node, ast.If) and ast.unparse(node.test) in _MAIN:
            lines[node.lineno - 1 : node.body[-1].end_lineno] = [_NOTHING]
    return b"".join(lines)
