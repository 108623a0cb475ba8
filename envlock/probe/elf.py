"""What a shared library needs and offers, and its build id; the file is read, never executed.

The few structures that are needed are those of elf(5) and of "Symbol Versioning" (LSB Core, chapter 10). Only
64-bit little-endian files are read, which covers every platform that wheels are published for.
"""

import mmap
import struct
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Set, Tuple, TypeVar

_PT_LOAD, _PT_DYNAMIC, _PT_NOTE = 1, 2, 4
_DT_NEEDED, _DT_STRTAB, _DT_SONAME, _DT_RPATH, _DT_RUNPATH = 1, 5, 14, 15, 29
_DT_VERDEF, _DT_VERDEFNUM, _DT_VERNEED, _DT_VERNEEDNUM = 0x6FFFFFFC, 0x6FFFFFFD, 0x6FFFFFFE, 0x6FFFFFFF
_SHT_DYNSYM = 11
_WEAK_VERSION = 2
_STB_GLOBAL = 1
_SHN_UNDEF, _SHN_ABS = 0, 0xFFF1
_NT_GNU_BUILD_ID = 3
Part = TypeVar("Part")


class NotElfError(Exception):
    """The file is not a 64-bit little-endian ELF file, or is damaged."""


class Elf:
    """One ELF file, read once.

    Attributes:
        path: the file's path.
        machine: the number of its processor architecture.
        soname: the name by which others refer to it; empty if it has none.
        needed: the libraries it needs, in order.
        rpath: where it looks before ``LD_LIBRARY_PATH``; ignored if there is a runpath.
        runpath: where it looks after ``LD_LIBRARY_PATH``.
        needs: library -> the symbol versions that it needs from it (``GLIBC_2.17``).
        offers: the symbol versions that it offers itself.
        build_id: the linker's identifier of the build; empty if it has none.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.soname = ""
        self.needed: List[str] = []
        self.rpath: List[str] = []
        self.runpath: List[str] = []
        self.needs: Dict[str, List[str]] = {}
        self.offers: Set[str] = set()
        self.build_id = ""
        _of_file(path, self._read)

    def _read(self, data: Any) -> None:
        self.machine = struct.unpack_from("<H", data, 18)[0]
        offset = struct.unpack_from("<Q", data, 32)[0]
        size, count = struct.unpack_from("<HH", data, 54)
        segments = [struct.unpack_from("<IIQQQQQQ", data, offset + number * size) for number in range(count)]
        loads = [(segment[3], segment[2], segment[5]) for segment in segments if segment[0] == _PT_LOAD]
        for kind, _, start, _, _, length, _, _ in segments:
            if kind == _PT_DYNAMIC:
                self._dynamic(data, start, length, loads)
            elif kind == _PT_NOTE and not self.build_id:
                self.build_id = _build_id(data, start, length)

    def _dynamic(self, data: Any, start: int, length: int, loads: List[Tuple[int, int, int]]) -> None:
        entries = []
        for tag, value in struct.iter_unpack("<QQ", data[start : start + length // 16 * 16]):
            if tag == 0:
                break
            entries.append((tag, value))
        single = dict(entries)
        if _DT_STRTAB not in single:
            return
        strings = _place(single[_DT_STRTAB], loads)
        self.needed = [_text(data, strings + value) for tag, value in entries if tag == _DT_NEEDED]
        if _DT_SONAME in single:
            self.soname = _text(data, strings + single[_DT_SONAME])
        for tag, folders in ((_DT_RPATH, self.rpath), (_DT_RUNPATH, self.runpath)):
            if tag in single:
                folders += [part for part in _text(data, strings + single[tag]).split(":") if part]
        if _DT_VERNEED in single:
            place, count = _place(single[_DT_VERNEED], loads), single.get(_DT_VERNEEDNUM, 0)
            self.needs = dict(_needed_versions(data, place, count, strings))
        if _DT_VERDEF in single:
            place, count = _place(single[_DT_VERDEF], loads), single.get(_DT_VERDEFNUM, 0)
            self.offers = set(_offered_versions(data, place, count, strings))


def read_elf(path: str) -> Optional[Elf]:
    """Read a file; return ``None`` if it cannot be read as ELF."""
    try:
        return Elf(path)
    except (NotElfError, OSError):
        return None


def build_id(path: str) -> str:
    """A library's build id; empty where it has none."""
    found = read_elf(path)
    return found.build_id if found else ""


def exported_symbols(path: str) -> Set[bytes]:
    """Return the names that a file defines and to which every other file may be bound, without weak ones.

    C++ expects weak ones in many files (templates, inline functions). Absolute ones stand for no code and no
    data: names of versions, whose value is 0, about which ctypes cannot ask (python/cpython#126554).
    """
    try:
        return _of_file(path, lambda data: set(_exported(data)))
    except NotElfError:
        return set()


def _exported(data: Any) -> Iterator[bytes]:
    sections = list(_sections(data))
    for _, kind, start, size, link in sections:
        if kind == _SHT_DYNSYM:
            strings = sections[link][2]
            for name, info, other, section, _, _ in struct.iter_unpack("<IBBHQQ", data[start : start + size]):
                is_here = section not in (_SHN_UNDEF, _SHN_ABS)
                if is_here and info >> 4 == _STB_GLOBAL and not other & 3:
                    begin = strings + name
                    yield data[begin : data.find(b"\0", begin)]


def read_sections(path: str, name: str, read: Callable[[Any, int, int], Iterable[Part]]) -> List[Part]:
    """Return what ``read`` finds in a file's sections of this name; nothing where it is no ELF file.

    A linker's script has the name of a library, too.

    Args:
        path: the file.
        name: the sections' name.
        read: is given the whole file, and where a section begins and ends in it.
    """

    def inside(data: Any) -> List[Part]:
        return [
            found
            for title, _, start, size, _ in _sections(data)
            if title == name
            for found in read(data, start, start + size)
        ]

    try:
        return _of_file(path, inside)
    except (NotElfError, OSError):
        return []


def _of_file(path: str, read: Callable[[Any], Part]) -> Part:
    """Return what is read of a file's contents.

    Raises:
        NotElfError: there is nothing to read, or something leads out of the file.
        OSError: the file cannot be opened.
    """
    try:
        with open(path, "rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return read(_checked(data))
    except (ValueError, OverflowError, struct.error, IndexError) as error:
        raise NotElfError("%s: %s" % (path, error)) from None


def _checked(data: Any) -> Any:
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError("no 64-bit little-endian ELF file")
    return data


def _sections(data: Any) -> Iterator[Tuple[str, int, int, int, int]]:
    """Yield name, kind, offset, size and link of each section.

    There are none where their headers are cut off: the loader needs none, and some packers leave none.
    """
    offset = struct.unpack_from("<Q", data, 40)[0]
    size, count, names = struct.unpack_from("<HHH", data, 58)
    if not offset or not names < count or offset + count * size > len(data):
        return
    headers = [struct.unpack_from("<IIQQQQII", data, offset + number * size) for number in range(count)]
    for name, kind, _, _, start, length, link, _ in headers:
        yield _text(data, headers[names][4] + name), kind, start, length, link


def _place(address: int, loads: List[Tuple[int, int, int]]) -> int:
    """Return the file offset of an address in memory."""
    for begin, offset, size in loads:
        if begin <= address < begin + size:
            return address - begin + offset
    raise ValueError("address %#x is in no segment" % address)


def _text(data: Any, place: int) -> str:
    return bytes(data[place : data.find(b"\0", place)]).decode("utf-8", "replace")


def _needed_versions(data: Any, place: int, count: int, strings: int) -> Iterator[Tuple[str, List[str]]]:
    for _ in range(count):
        _, inner, file, first, following = struct.unpack_from("<HHIII", data, place)
        versions = []
        there = place + first
        for _ in range(inner):
            _, flags, _, name, behind = struct.unpack_from("<IHHII", data, there)
            if not flags & _WEAK_VERSION:
                versions.append(_text(data, strings + name))
            there += behind
        yield _text(data, strings + file), versions
        place += following


def _offered_versions(data: Any, place: int, count: int, strings: int) -> Iterator[str]:
    for _ in range(count):
        _, _, _, _, _, first, following = struct.unpack_from("<HHHHIII", data, place)
        name = struct.unpack_from("<I", data, place + first)[0]
        yield _text(data, strings + name)
        place += following


def _build_id(data: Any, start: int, length: int) -> str:
    place = start
    while place + 12 <= start + length:
        name, size, kind = struct.unpack_from("<III", data, place)
        content = place + 12 + (name + 3) // 4 * 4
        if kind == _NT_GNU_BUILD_ID and data[place + 12 : place + 15] == b"GNU":
            return bytes(data[content : content + size]).hex()
        place = content + (size + 3) // 4 * 4
    return ""
