"""How components show on a node by names and files, where no program tells of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType

from envlock.model.frozen import dataclass

_NONE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedLibrary:
    """A library that wheels load by its name and do not bring.

    Attributes:
        component: what it is.
        name: a regular expression for the names that the loader may find it by, with the interface's number.
    """

    component: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderFiles:
    """A library that builds compile against.

    Attributes:
        component: what it is.
        files: the header files by which it is known, below a folder of such; any of them will do.
        version_file: the header file beside the one found that tells its version; empty where none is read.
        version_pattern: a regular expression for that file, whose first group is the version.
    """

    component: str
    files: tuple[str, ...]
    version_file: str = ""
    version_pattern: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnpackedFolder:
    """What people unpack into their homes.

    Attributes:
        component: what it is.
        version: its version.
        below_home: where it is looked for, relative to the home.
        variable: the variable that names another folder.
    """

    component: str
    version: str
    below_home: str
    variable: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Detection:
    """All signs of components that the knowledge base tells.

    Attributes:
        libraries: by the loader's names.
        headers: by header files.
        folders: by what was unpacked.
        modules: names of a site's modules, in small letters -> the component that they load.
        without_screens: LLVM targets of GPUs that have no outputs, and so are there to compute.
    """

    libraries: tuple[LoadedLibrary, ...] = ()
    headers: tuple[HeaderFiles, ...] = ()
    folders: tuple[UnpackedFolder, ...] = ()
    modules: Mapping[str, str] = field(default_factory=lambda: _NONE)
    without_screens: frozenset[str] = frozenset()
