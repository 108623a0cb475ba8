"""System libraries that wheels load by name or builds compile against, but do not bring."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path

from envlock.edges.visible import is_file, is_folder, is_there, matching, text_of
from envlock.model.knowing.detection import HeaderFiles, LoadedLibrary, UnpackedFolder
from envlock.model.project.target import Offer

_LOADER = Path("/etc/ld.so.cache")
_INCLUDES = (
    Path("/usr/local/include"),
    Path(f"/usr/include/{os.uname().machine}-linux-gnu"),
    Path("/usr/include"),
)
_INCLUDE_VARIABLES = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH")
_UNTOLD = "0"
"""The version of a library whose header files do not tell it."""


def find_libraries(
    libraries: Iterable[LoadedLibrary], environ: Mapping[str, str], loader: Path = _LOADER
) -> tuple[Offer, ...]:
    """Return the libraries that the loader finds, each where its search order finds it first.

    Args:
        libraries: the libraries to look for.
        environ: the variables, of which ``LD_LIBRARY_PATH`` counts.
        loader: the loader's list of libraries.
    """
    try:
        listed = loader.read_bytes()
    except OSError:
        listed = b""
    places = [Path(folder) for folder in environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if folder]
    return tuple(
        Offer(component=library.component, version=_version(path), note=str(path))
        for library in libraries
        if (path := next(_found(library.name, places, listed), None))
    )


def _found(pattern: str, places: list[Path], listed: bytes) -> Iterator[Path]:
    named = (path for place in places for path in matching(place, "*.so.*"))
    found = (path for path in named if re.fullmatch(pattern, path.name))
    matches = re.finditer(rb"/[^\0]*/" + pattern.encode() + rb"(?=\0)", listed)
    # Links whose library is gone are passed over, as by the loader.
    return filter(is_there, chain(found, (Path(os.fsdecode(match[0])) for match in matches)))


def _version(path: Path) -> str:
    """Return the version in the link target's name: ``libsndfile.so.1`` leads to ``libsndfile.so.1.0.35``."""
    return path.resolve().name.partition(".so.")[2] or path.name.partition(".so.")[2]


def find_headers(
    libraries: Iterable[HeaderFiles], environ: Mapping[str, str], includes: Iterable[Path] = _INCLUDES
) -> tuple[Offer, ...]:
    """Return the libraries whose header files a build would find.

    Args:
        libraries: the libraries to look for.
        environ: the variables, of which those for compilers and ``PATH`` count: what a module or a conda
            environment brings has its header files beside its programs, as its ``-config`` program tells.
        includes: the compiler's own folders.
    """
    stated = [folder for name in _INCLUDE_VARIABLES for folder in environ.get(name, "").split(os.pathsep)]
    beside = [
        Path(folder).parent / "include" for folder in environ.get("PATH", "").split(os.pathsep) if folder
    ]
    there = dict.fromkeys((*(Path(folder) for folder in stated if folder), *beside, *includes))
    places = [place for place in there if is_folder(place)]
    return tuple(
        Offer(component=library.component, version=_stated_version(library, path), note=str(path))
        for library in libraries
        if (path := next(_present(library, places), None))
    )


def _present(library: HeaderFiles, places: list[Path]) -> Iterator[Path]:
    return (place / name for place in places for name in library.files if is_file(place / name))


def _stated_version(library: HeaderFiles, header: Path) -> str:
    """Read the version from a header file beside the one found."""
    if not library.version_file:
        return _UNTOLD
    match = re.search(library.version_pattern, text_of(header.with_name(library.version_file)))
    return match[1] if match else _UNTOLD


def find_unpacked(folders: Iterable[UnpackedFolder], environ: Mapping[str, str]) -> tuple[Offer, ...]:
    """Return what people have unpacked into their homes.

    Args:
        folders: the folders to look for.
        environ: the variables: ``HOME``, and those that name such a folder, whose version is not checked.
    """
    home = Path(environ.get("HOME") or "/nonexistent")
    places = [(folder, Path(environ.get(folder.variable) or home / folder.below_home)) for folder in folders]
    return tuple(
        Offer(component=folder.component, version=folder.version, note=str(place))
        for folder, place in places
        if is_folder(place)
    )
