"""Decoding of ``detection.toml``."""

from __future__ import annotations

from collections.abc import Mapping

from envlock.model.decode import Table
from envlock.model.knowing.detection import Detection, HeaderFiles, LoadedLibrary, UnpackedFolder
from envlock.model.knowing.knowledge_parts import Names, frozen, read_pattern, read_sources


class DetectionDecoder:
    """Decodes the signs of components on a node; later documents (a site's overlay) add to earlier ones."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._libraries: list[LoadedLibrary] = []
        self._headers: list[HeaderFiles] = []
        self._folders: list[UnpackedFolder] = []
        self._modules: dict[str, str] = {}
        self._categories: set[str] = set()
        self._qualifiers: set[str] = set()
        self._toolchains: dict[str, str] = {}
        self._without_screens: set[str] = set()

    def decode(self, document: Mapping[str, object], file: str) -> None:
        """Decode one document.

        Raises:
            RequestError: it has the wrong form, names something that is not a system component, or gives a
                module's name two meanings.
        """
        root = Table(document, file=file)
        self._libraries += [self._library(table) for table in root.tables("library")]
        self._headers += [self._header_files(table) for table in root.tables("headers")]
        self._folders += [self._folder(table) for table in root.tables("folder")]
        for table in root.tables("site-module"):
            self._module(table)
        for table in root.tables("module-words"):
            self._categories |= set(map(str.lower, table.texts("categories")))
            self._qualifiers |= set(map(str.lower, table.texts("qualifiers")))
            _end(table)
        for table in root.tables("toolchain"):
            self._toolchains |= dict.fromkeys(table.texts("names"), table.text("gcc"))
            _end(table)
        for table in root.tables("without-screens"):
            self._without_screens |= set(table.texts("gpu_gfx"))
            _end(table)
        root.done()

    def finish(self) -> Detection:
        """Return all that was decoded."""
        return Detection(
            libraries=tuple(self._libraries),
            headers=tuple(self._headers),
            folders=tuple(self._folders),
            modules=frozen(self._modules),
            categories=frozenset(self._categories),
            qualifiers=frozenset(self._qualifiers),
            toolchains=frozen(self._toolchains),
            without_screens=frozenset(self._without_screens),
        )

    def _library(self, table: Table) -> LoadedLibrary:
        found = LoadedLibrary(component=self._component(table), name=read_pattern(table, "name"))
        _end(table)
        return found

    def _header_files(self, table: Table) -> HeaderFiles:
        found = HeaderFiles(
            component=self._component(table),
            files=table.texts("files"),
            version_file=table.text("version-file", ""),
            version_pattern=read_pattern(table, "version-pattern", default=""),
        )
        if bool(found.version_file) != bool(found.version_pattern):
            raise table.error("version-file and version-pattern need each other", key="version-file")
        _end(table)
        return found

    def _folder(self, table: Table) -> UnpackedFolder:
        found = UnpackedFolder(
            component=self._component(table),
            version=table.text("version"),
            below_home=table.text("below-home"),
            variable=table.text("variable"),
        )
        _end(table)
        return found

    def _module(self, table: Table) -> None:
        given = self._component(table) if table.has("component") else ""
        for name in map(str.lower, table.texts("names")):
            component = given or self._system(name, table, "names")
            known = self._modules.setdefault(name, component)
            if known != component:
                raise table.error(f"the module {name!r} already means {known!r}", key="names")
        _end(table)

    def _component(self, table: Table) -> str:
        return self._system(table.text("component"), table, "component")

    def _system(self, text: str, table: Table, key: str) -> str:
        name = self._names.name(text)
        if name not in self._names.systems:
            hint = "describe it first: [[component]] in components.toml"
            raise table.error(f"{text!r} is not a system component", key=key, hint=hint)
        return name


def _end(table: Table) -> None:
    read_sources(table)
    table.done()
