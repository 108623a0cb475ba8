"""Signs of components on a node, by names and files, where no program reports them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType

from envlock.model.frozen import dataclass

_NONE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedLibrary:
    """A library that wheels load by name and do not bundle.

    Attributes:
        component: what it is.
        name: a regular expression for the names under which the loader may find it, with the interface's
            number.
    """

    component: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderFiles:
    """A library that builds compile against.

    Attributes:
        component: what it is.
        files: the header files that identify it, relative to an include folder; any one is enough.
        version_file: the header file next to the one found that has its version; empty where none is read.
        version_pattern: a regular expression for that file, whose first group is the version.
    """

    component: str
    files: tuple[str, ...]
    version_file: str = ""
    version_pattern: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnpackedFolder:
    """Something that users unpack into their home directories.

    Attributes:
        component: what it is.
        version: its version.
        below_home: where to look for it, relative to the home directory.
        variable: the environment variable that names another folder.
    """

    component: str
    version: str
    below_home: str
    variable: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleNames:
    """The words, in lower case, of which the names of a site's modules consist.

    Attributes:
        components: a name -> the component that such a module loads.
        categories: words that come before names and only group them (``mpi/openmpi/4.1``).
        qualifiers: words that say what something was built with or for (``openmpi/gcc/64/4.1.2``).
    """

    components: Mapping[str, str] = field(default_factory=lambda: _NONE)
    categories: frozenset[str] = frozenset()
    qualifiers: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Detection:
    """All signs of components in the knowledge base.

    Attributes:
        libraries: signs by the loader's names.
        headers: signs by header files.
        folders: signs by what was unpacked.
        modules: name of a site's module, in lower case -> the component that it loads.
        categories: words in modules' names that only group them.
        qualifiers: words in modules' names that say what they were built with or for.
        toolchains: a toolchain of EasyBuild's, as modules name it (``foss-2022b``) -> its generation's GCC.
        without_screens: LLVM targets of GPUs that have no display outputs, and so are there to compute.
    """

    libraries: tuple[LoadedLibrary, ...] = ()
    headers: tuple[HeaderFiles, ...] = ()
    folders: tuple[UnpackedFolder, ...] = ()
    modules: Mapping[str, str] = field(default_factory=lambda: _NONE)
    categories: frozenset[str] = frozenset()
    qualifiers: frozenset[str] = frozenset()
    toolchains: Mapping[str, str] = field(default_factory=lambda: _NONE)
    without_screens: frozenset[str] = frozenset()

    @property
    def module_names(self) -> ModuleNames:
        """The words of which the names of a site's modules consist."""
        return ModuleNames(components=self.modules, categories=self.categories, qualifiers=self.qualifiers)
