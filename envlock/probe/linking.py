"""Which file the loader would take for each needed library (ld.so(8)), without loading any."""

import os
import struct
from typing import Dict, List, NamedTuple, Optional, Set, Tuple

from .elf import Elf, read_elf

Missing = NamedTuple("Missing", [("file", str), ("library", str)])
Unversioned = NamedTuple(
    "Unversioned", [("file", str), ("library", str), ("found", str), ("version", str), ("newest", str)]
)

OF_THE_DRIVER = ("libcuda.so", "libnvidia-", "libnvcuvid.so", "libze_loader.so")
"""The beginnings of names of libraries that come with the GPU's driver, and so only on nodes with a GPU: of
NVIDIA's, and Level Zero's loader of Intel's, which Intel MPI opens where there is one."""
_CACHE = "/etc/ld.so.cache"
_MAGIC = b"glibc-ld.so.cache1.1"
_STANDARD = ("/lib64", "/usr/lib64", "/lib", "/usr/lib")
_VIRTUAL = ("linux-vdso", "linux-gate", "ld-linux", "ld64", "ld.so")


class Loader:
    """The loader's view of this node.

    Args:
        library_path: the value of ``LD_LIBRARY_PATH``.
        loaded_before: soname -> path of libraries that packages load before the files in question need them.
    """

    def __init__(self, library_path: str, loaded_before: Dict[str, str]) -> None:
        self._library_path = [part for part in library_path.split(":") if part]
        self._loaded_before = loaded_before
        self._machine = Elf("/proc/self/exe").machine
        self._files: Dict[str, Optional[Elf]] = {}
        self._cache = _read_cache(_CACHE)

    def closure(self, path: str) -> Tuple[List[Missing], List[Unversioned], Set[str]]:
        """Return what one file and all that it needs lack, and every file that would be mapped."""
        first = self._elf(path)
        missing: List[Missing] = []
        unversioned: List[Unversioned] = []
        taken: Dict[str, str] = {}
        waiting: List[Tuple[Elf, List[str]]] = [(first, [])] if first else []
        while waiting:
            elf, inherited = waiting.pop(0)
            rpath = [] if elf.runpath else [_expanded(folder, elf.path) for folder in elf.rpath]
            for library in elf.needed:
                if library.startswith(_VIRTUAL):
                    continue
                new = library not in taken
                found = taken.get(library) or self._find(library, elf, rpath + inherited)
                if not found:
                    missing.append(Missing(elf.path, library))
                    continue
                taken[library] = found
                other = self._elf(found)
                if other:
                    unversioned += _unversioned(elf, library, other)
                    if new:
                        waiting.append((other, rpath + inherited))
        return missing, unversioned, set(taken.values())

    def _elf(self, path: str) -> Optional[Elf]:
        real = os.path.realpath(path)
        if real not in self._files:
            self._files[real] = read_elf(real)
        return self._files[real]

    def _find(self, library: str, elf: Elf, rpath: List[str]) -> str:
        if "/" in library:
            return library if os.path.exists(library) else ""
        runpath = [_expanded(folder, elf.path) for folder in elf.runpath]
        searched = ([] if elf.runpath else rpath) + self._library_path + runpath
        places = [os.path.join(folder, library) for folder in searched]
        places += self._cache.get(library, [])
        places += [os.path.join(folder, library) for folder in _STANDARD]
        for place in places:
            if os.path.isfile(place):
                found = self._elf(place)
                if found and found.machine == self._machine:
                    return place
        return self._loaded_before.get(library, "")


def _unversioned(elf: Elf, library: str, found: Elf) -> List[Unversioned]:
    """Return needed versions that are not offered; without any versions in a library, ld.so only warns."""
    lacking = [need for need in elf.needs.get(library, []) if found.offers and need not in found.offers]
    told = []
    for version in lacking:
        family = version.partition("_")[0] + "_"
        newest = max(
            (offer for offer in found.offers if offer.startswith(family)), key=_numbers, default="none"
        )
        told.append(Unversioned(elf.path, library, found.path, version, newest))
    return told


def _numbers(version: str) -> List[int]:
    return [int(part) for part in version.partition("_")[2].split(".") if part.isdecimal()]


def _expanded(folder: str, path: str) -> str:
    origin = os.path.dirname(os.path.realpath(path))
    for name, value in (("ORIGIN", origin), ("LIB", "lib64"), ("PLATFORM", os.uname().machine)):
        folder = folder.replace("${%s}" % name, value).replace("$" + name, value)
    return folder


def _read_cache(path: str) -> Dict[str, List[str]]:
    """Read library -> paths from ldconfig's cache (glibc, sysdeps/generic/dl-cache.h)."""
    found: Dict[str, List[str]] = {}
    try:
        with open(path, "rb") as stream:
            data = stream.read()
    except OSError:
        return found
    data = data[max(0, data.find(_MAGIC)) :]
    if not data.startswith(_MAGIC):
        return found
    for number in range(struct.unpack_from("<I", data, 20)[0]):
        _, key, value = struct.unpack_from("<III", data, 48 + number * 24)
        name, place = (data[at : data.index(b"\0", at)].decode("utf-8", "replace") for at in (key, value))
        found.setdefault(name, []).append(place)
    return found
