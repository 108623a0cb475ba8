"""The files of a program as modules that its other files import."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import field
from pathlib import PurePath

from envlock.analysis.program.scopes import Known, Scope
from envlock.model.frozen import dataclass

_SUFFIX = ".py"
_PACKAGE = "__init__"
_SOURCES = "src"
"""The folder that many projects keep their packages in, and install them from."""


@dataclass(slots=True)
class OwnModules:
    """Finds what imports within a program lead to, and keeps what each file defines.

    A module's path is ``<module FOLDER/NAME>``, which leads to nothing that a package offers.

    Attributes:
        places: the files that can be imported, without their suffix; a package is its folder.
        packages: those of them that are packages.
        folders: what they lie in: a package needs no file of its own (PEP 420).
        scopes: path of a module -> the names of its top level, as far as it was read.
    """

    places: frozenset[PurePath] = frozenset()
    packages: frozenset[PurePath] = frozenset()
    folders: frozenset[PurePath] = frozenset()
    scopes: dict[str, Scope] = field(default_factory=dict)

    @classmethod
    def of(cls, files: Iterable[str]) -> OwnModules:
        """Return the modules that some files are; notebooks are none."""
        paths = [PurePath(file) for file in files if file.endswith(_SUFFIX)]
        packages = frozenset(path.parent for path in paths if path.stem == _PACKAGE)
        places = frozenset(map(_place, paths))
        return cls(places, packages, frozenset(folder for place in places for folder in place.parents))

    def find(self, module: str, level: int, file: str) -> str:
        """Return the path of the module that an import names; empty if it is none of the program's.

        Args:
            module: the dotted name; empty for ``from . import x``.
            level: the number of dots before it.
            file: the file with the import.
        """
        folder, parts = PurePath(file).parent, module.split(".") if module else []
        if level:
            for _ in range(level - 1):
                folder = folder.parent
            place = folder.joinpath(*parts)
            return _path(place) if self._leads_somewhere(place) else ""
        for root in self._roots(folder):
            place = root.joinpath(*parts)
            if place in self.places:
                return _path(place)
        return ""

    def top(self, path: str, module: str) -> str:
        """Return the path of the package that ``import a.b`` binds, by that of ``a.b``."""
        place = _within(path)
        for _ in range(module.count(".")):
            place = place.parent
        return _path(place)

    def attribute(self, path: str, name: str) -> Known | None:
        """Return what a name in a module leads to: what its file binds, else a module below it."""
        scope = self.scopes.get(path)
        if scope is not None and (found := scope.look_up(name)) is not None:
            return found
        below = _within(path) / name
        return Known(_path(below)) if self._leads_somewhere(below) else None

    def public(self, path: str) -> Iterator[tuple[str, Known | None]]:
        """Yield what ``from module import *`` binds."""
        scope = self.scopes.get(path)
        for name, known in scope.names.items() if scope is not None else ():
            if not name.startswith("_"):
                yield name, known

    def keep(self, file: str, scope: Scope) -> None:
        """Keep the names of a file's top level."""
        if file.endswith(_SUFFIX):
            self.scopes[_path(_place(PurePath(file)))] = scope

    def imported(self, imports: Iterable[ast.Import | ast.ImportFrom], file: str) -> Iterator[str]:
        """Yield the paths of the program's own modules that a file imports."""
        for node in imports:
            if isinstance(node, ast.Import):
                yield from filter(None, (self.find(alias.name, 0, file) for alias in node.names))
            elif path := self.find(node.module or "", node.level, file):
                yield path
                yield from (_path(_within(path) / alias.name) for alias in node.names)

    def starred(self, imports: Iterable[ast.Import | ast.ImportFrom], file: str) -> Iterator[str]:
        """Yield the modules of others from which a file imports all public names."""
        for node in imports:
            match node:
                case ast.ImportFrom(module=str(module), names=[ast.alias(name="*")], level=0):
                    if not self.find(module, 0, file):
                        yield module

    def _leads_somewhere(self, place: PurePath) -> bool:
        return place in self.places or place in self.folders

    def _roots(self, folder: PurePath) -> Iterator[PurePath]:
        """Yield the folders that absolute imports may begin in: around the package of a file, and above."""
        while folder in self.packages and folder != folder.parent:
            folder = folder.parent
        for root in (folder, *folder.parents):
            yield root
            yield root / _SOURCES


def module_path(file: str) -> str:
    """Return the path of the module that a file is."""
    return _path(_place(PurePath(file)))


def _place(path: PurePath) -> PurePath:
    return path.parent if path.stem == _PACKAGE else path.with_suffix("")


def _path(place: PurePath) -> str:
    return f"<module {place.as_posix()}>"


def _within(path: str) -> PurePath:
    return PurePath(path.removeprefix("<module ").removesuffix(">"))
