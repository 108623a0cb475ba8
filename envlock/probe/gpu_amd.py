"""AMD's GPUs checked against the environment (S4, S6, L9) through HIP's library, which frameworks bring."""

import ctypes
import functools
import struct
import zlib
from typing import Any, Dict, FrozenSet, Iterator, List, Optional, Tuple

from . import amd
from .elf import read_sections
from .files import shared_objects
from .isolation import Reporter
from .modules import installed_distributions
from .peers import peers_check
from .plan import Plan
from .verdict import not_applicable, verdict

_BUNDLE = b"__CLANG_OFFLOAD_BUNDLE__"
_COMPRESSED = b"CCOB"
_ZLIB = 0
_SPIRV = "amdgcnspirv"
_HEADERS = {1: 20, 2: 24, 3: 32}
"""Version of the compressed form -> bytes before the compressed data (LLVM's OffloadBundler.cpp)."""

_MOST_HEADER = 1 << 16
"""Bytes in which all names of a bundle are."""
_MOST_PACKED = 1 << 20
_STEP = 8
"""Bundles begin at multiples of it, mostly of a page."""

_MOST_OF_IT = 0.5
_NO_DEVICE = 100  # hipErrorNoDevice, hip_runtime_api.h


def check_amd(plan: Plan, found: List[amd.Gpu], given: Dict[str, Any], report: Reporter) -> None:
    """Run S4, S6 and L9 for these GPUs in the child process."""
    report(begins="reading GPU code")
    report(check=_code_check(plan, sorted({gpu.target for gpu in found if gpu.target})))
    library = amd.hip(given.get("libraries", {}))
    if library is None:
        reason = "not applicable: nothing here brings HIP's library"
        report(check=not_applicable("S6", "driver", reason))
        report(check=not_applicable("L9", "GPU to GPU", reason))
        return
    report(begins="initialising HIP")
    status, count = library.hipInit(0), ctypes.c_int()
    status = status or library.hipGetDeviceCount(ctypes.byref(count))
    if status or not count.value:
        message = "%d GPUs are here, and HIP does not start on them: %s" % (
            len(found),
            _name(library, status or _NO_DEVICE),
        )
        report(check=verdict("S6", "driver", "failed", message, {"status": status}))
        report(check=not_applicable("L9", "GPU to GPU", "not applicable: HIP does not start"))
        return
    version = amd.driver_version()
    told = "HIP starts on %d GPUs, with the driver %s" % (count.value, version or "of the kernel itself")
    report(check=verdict("S6", "driver", "passed", told, {"driver": version}))
    report(check=peers_check(count.value, functools.partial(_reaches, library)))


def _name(library: Any, status: int) -> str:
    library.hipGetErrorName.restype = ctypes.c_char_p
    return (library.hipGetErrorName(status) or b"error %d" % status).decode("ascii", "replace")


def _reaches(library: Any, one: int, other: int) -> bool:
    able = ctypes.c_int()
    return not library.hipDeviceCanAccessPeer(ctypes.byref(able), one, other) and bool(able.value)


def _code_check(plan: Plan, targets: List[str]) -> Dict[str, Any]:
    code: Dict[str, List[Optional[FrozenSet[str]]]] = {}
    for name, path in shared_objects(installed_distributions(), plan.names()):
        code.setdefault(name, []).extend(hip_code(path))
    known = {name: [bundle for bundle in found if bundle is not None] for name, found in code.items()}
    told = {name: sorted(frozenset().union(*found)) for name, found in known.items() if found}
    details = {"code": told, "devices": targets}
    lacking = [
        "%s has code for %s, and %.0f %% of it runs on %s"
        % (name, ", ".join(told[name]), 100 * covered(known[name], target), target)
        for name in sorted(told)
        for target in targets
        if covered(known[name], target) < _MOST_OF_IT
    ]
    if not targets:
        return not_applicable("S4", "GPU code", "not applicable: this kernel does not tell what the GPUs are")
    if not told:
        unread = any(code.values())
        why = "all GPU code here is compressed by zstd" if unread else "no GPU code in this environment"
        return not_applicable("S4", "GPU code", "not applicable: %s" % why)
    if lacking:
        return verdict("S4", "GPU code", "failed", "; ".join(lacking), details)
    message = "code for %s in %s" % (", ".join(targets), ", ".join(sorted(told)))
    return verdict("S4", "GPU code", "passed", message, details)


def covered(bundles: List[FrozenSet[str]], target: str) -> float:
    """Return the share of bundles with code for a target, for a generic one of its generation, or SPIR-V."""
    major = target[:-2]  # the last two digits are minor and stepping: gfx90a, gfx1030
    fitting = [
        found
        for found in bundles
        if found & {target, _SPIRV}
        or any(name.startswith(major) and name.endswith("-generic") for name in found)
    ]
    return len(fitting) / max(1, len(bundles))


def hip_code(path: str) -> List[Optional[FrozenSet[str]]]:
    """Return the LLVM targets of each bundle of device code in a file; ``None`` for one that is not readable.

    Bundles follow each other in the section ``.hip_fatbin`` (LLVM, "Clang Offload Bundler"): a magic, the
    number of entries, and for each of these offset, size, length of its name, and name
    (``hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-``). A compressed one has a header with version and method.
    """
    return read_sections(path, ".hip_fatbin", _bundles)


def _bundles(data: Any, start: int, end: int) -> Iterator[Optional[FrozenSet[str]]]:
    """Go from bundle to bundle; what they hold, most of a library's gigabytes, is not read."""
    place = start
    while place + len(_BUNDLE) <= end:
        head = bytes(data[place : min(end, place + _MOST_HEADER)])
        size = 0
        if head.startswith(_BUNDLE):
            found, size = _read_bundle(head)
            yield found
        elif head.startswith(_COMPRESSED):
            version, method = struct.unpack_from("<HH", head, 4)
            size = _size(version, head)
            if version in _HEADERS:
                packed = data[place + _HEADERS[version] : min(end, place + _MOST_PACKED)]
                yield _unpacked(packed) if method == _ZLIB else None
        place += max(_STEP, size + -size % _STEP)


def _size(version: int, head: bytes) -> int:
    """Return the bytes of a compressed bundle; 0 for the first version, which does not tell."""
    if version <= 1:
        return 0
    return int(struct.unpack_from("<Q" if version > 2 else "<I", head, 8)[0])  # noqa: PLR2004


def _unpacked(packed: bytes) -> Optional[FrozenSet[str]]:
    try:
        return _read_bundle(zlib.decompressobj().decompress(packed, _MOST_HEADER))[0]
    except zlib.error:
        return None


def _read_bundle(head: bytes) -> Tuple[Optional[FrozenSet[str]], int]:
    """Return the targets that a bundle has code for, and its size."""
    found, size = set(), 0
    try:
        (count,) = struct.unpack_from("<Q", head, len(_BUNDLE))
        place = len(_BUNDLE) + 8
        for _ in range(count):
            offset, length, named = struct.unpack_from("<QQQ", head, place)
            name = head[place + 24 : place + 24 + named].decode("ascii", "replace")
            place += 24 + named
            size = max(size, place, offset + length)
            if not name.startswith("host"):
                found.add(name.rpartition("--")[2].partition(":")[0])
    except struct.error:
        return None, size
    return frozenset(found), size
