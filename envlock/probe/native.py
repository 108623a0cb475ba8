"""The native libraries that a process has mapped, and the families of which it has two (check P3).

Two copies of one family in one process are how "works alone, crashes together" begins: each copy keeps its
own state, and whose symbols a caller gets depends on the order of imports. Some families are harmless in
several copies, since each caller keeps to its own (several OpenBLAS); those are only mentioned.
"""

import ctypes
import re
from typing import Any, Dict, List, Tuple

from .elf import build_id

FAMILIES = (
    ("cudart", r"libcudart[-.]"),
    ("cublas", r"libcublas[-.]"),
    ("cudnn", r"libcudnn[-.]"),
    ("nccl", r"libnccl[-.]"),
    ("nvjitlink", r"libnvJitLink[-.]"),
    ("mpi", r"libmpi(ch)?(_ibm|_(cray|gnu|intel|nvidia|pgi|amd|aocc)(_\w+)?)?[-.]"),
    ("hwloc", r"libhwloc[-.]"),
    ("ucx", r"libucp[-.]"),
    ("fabric", r"libfabric[-.]"),
    ("protobuf", r"libprotobuf[-.]"),
    ("libstdc++", r"libstdc\+\+[-.]"),
    ("hdf5", r"libhdf5[-.]"),
    ("openblas", r"lib(scipy_)?openblas\w*[-.]"),
    ("mkl", r"libmkl_(rt|core)[-.]"),
)
"""Family -> file names; wheels' repaired names carry a hash after a hyphen (``libgomp-7c85b1e2.so.1``).

Cray's MPI is called after the compiler that it is for (``libmpi_gnu_91.so.12``, spack#29392)."""

OPENMP = (("GNU", r"libgomp[-.]"), ("Intel", r"libiomp5[-.]"), ("LLVM", r"libomp[-.]"))
"""Makers of OpenMP run-time libraries, and the file names of these."""

_REFUSE_EACH_OTHER = frozenset(["Intel", "LLVM"])

HARMFUL = frozenset(["mpi", "nccl", "cudnn", "libstdc++"])
"""Families of which a second copy fails the check: they hold state that both copies would own."""

HARMLESS = frozenset(["openblas"])
"""Families of which second copies are only mentioned: NumPy, SciPy and OpenCV publish wheels with an OpenBLAS
each, under names of their own, and every other environment has several."""

_NAMES = [(family, re.compile(pattern)) for family, pattern in FAMILIES]
_MAPS_COLUMNS = 6
_LONGEST_VERSION = 1 << 14
_MAJOR = re.compile(r"\.so\.(\d+)")


def mapped_libraries(maps: str) -> Dict[str, str]:
    """Return path -> identity (device and inode) of each shared library in the text of ``/proc/self/maps``.

    The columns are address, permissions, offset, device, inode and path (proc_pid_maps(5)).
    """
    found: Dict[str, str] = {}
    for line in maps.splitlines():
        columns = line.split(None, 5)
        if len(columns) == _MAPS_COLUMNS and ".so" in columns[5] and columns[5].startswith("/"):
            found[columns[5].replace(" (deleted)", "")] = columns[3] + " " + columns[4]
    return found


def own_libraries() -> Dict[str, str]:
    """Return the libraries of this process."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as stream:
        return mapped_libraries(stream.read())


def mpi_library_version(libraries: Dict[str, str]) -> str:
    """Return what the mapped MPI library calls itself; empty if there is none or it does not say.

    MPI_Get_library_version may be called at any time, even before MPI runs (MPI 3.0, section 8.1.1).
    """
    for path in families(libraries).get("mpi", []):
        library = ctypes.CDLL(path)
        if hasattr(library, "MPI_Get_library_version"):
            text = ctypes.create_string_buffer(_LONGEST_VERSION)
            library.MPI_Get_library_version(text, ctypes.byref(ctypes.c_int()))
            return text.value.decode("utf-8", "replace").strip()
    return ""


def is_mpi(path: str) -> bool:
    """Whether a library is an MPI, by its name."""
    return any(family == "mpi" and pattern.match(path.rsplit("/", 1)[-1]) for family, pattern in _NAMES)


def families(libraries: Dict[str, str]) -> Dict[str, List[str]]:
    """Return family -> paths of its different files; two paths to one file count once."""
    found: Dict[str, List[str]] = {}
    seen = set()
    for path, identity in sorted(libraries.items()):
        name = path.rsplit("/", 1)[-1]
        for family, pattern in _NAMES:
            if pattern.match(name) and (family, identity) not in seen:
                seen.add((family, identity))
                found.setdefault(family, []).append(path)
    return found


def audit(libraries: Dict[str, str], brought_by: Dict[str, str]) -> Tuple[str, str, Dict[str, Any]]:
    """Return outcome, message and details for a process's libraries.

    Args:
        libraries: path -> identity.
        brought_by: path -> the module whose import mapped it.
    """
    present = families(libraries)
    doubled = {family: paths for family, paths in present.items() if len(paths) > 1}
    bad = sorted(family for family in doubled if family in HARMFUL or _majors_differ(family, doubled[family]))
    told = [
        "%s: %s" % (family, " and ".join(_told(path, brought_by) for path in doubled[family]))
        for family in (bad or sorted(doubled))
    ]
    details = {
        "families": present,
        "doubled": doubled,
        "brought_by": {path: brought_by.get(path, "") for paths in doubled.values() for path in paths},
        "build_ids": {path: build_id(path) for paths in present.values() for path in paths},
    }
    if bad:
        return "failed", "loaded twice into one process: " + "; ".join(told), details
    if set(doubled) - HARMLESS:
        return "warned", "several copies in one process, usually harmless: " + "; ".join(told), details
    if not present:
        return "not-applicable", "no native library of which a second copy would matter", details
    message = "%d native families, one copy of each" % len(present)
    if doubled:
        message += ", and of those that keep to themselves several: " + ", ".join(sorted(doubled))
    return "passed", message, details


def openmp_audit(libraries: Dict[str, str], brought_by: Dict[str, str]) -> Tuple[str, str, Dict[str, Any]]:
    """Return outcome, message and details for the OpenMP run-time libraries of a process (check P4).

    Each keeps its own threads, so two of them demand twice the processors and can deadlock each other after a
    fork. Intel's and LLVM's are the same code under two names and abort the process when they meet
    (threadpoolctl, multiple_openmp.md).
    """
    found = {
        path: maker
        for path in sorted(libraries)
        for maker, pattern in OPENMP
        if re.match(pattern, path.rsplit("/", 1)[-1])
    }
    first: Dict[str, str] = {}
    for path in found:
        first.setdefault(libraries[path], path)
    copies = {path: found[path] for path in first.values()}
    told = "; ".join("%s's %s" % (maker, _told(path, brought_by)) for path, maker in copies.items())
    details = {"copies": copies, "build_ids": {path: build_id(path) for path in copies}}
    makers = set(copies.values())
    if makers >= _REFUSE_EACH_OTHER:
        return "failed", "two OpenMP run-time libraries that end the process when they meet: " + told, details
    if len(copies) > 1:
        what = "of different makers, each with threads of its own" if len(makers) > 1 else "of one maker"
        return "warned", "%d OpenMP run-time libraries %s: %s" % (len(copies), what, told), details
    if not copies:
        return "not-applicable", "no OpenMP run-time library", details
    return "passed", "one OpenMP run-time library", details


def _majors_differ(family: str, paths: List[str]) -> bool:
    majors = {match.group(1) for match in map(_MAJOR.search, paths) if match}
    return family == "cudart" and len(majors) > 1


def _told(path: str, brought_by: Dict[str, str]) -> str:
    module = brought_by.get(path)
    return "%s (with %s)" % (path, module) if module else path
