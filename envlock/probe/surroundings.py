"""What a launched process finds around it: limits, processors, shared memory, GPUs, identity (L3 to L10).

Collected inside ranks, because a launcher may set other limits than a login shell has; judged outside, where
all ranks can be compared.
"""

import ctypes
import glob
import hashlib
import os
import platform
import re
import resource
import sys
from typing import Any, Dict, Iterable, List, Sequence

from . import amd
from .back_ends.gpus import reachable
from .control_groups import own_processors_worth
from .fabric import usable
from .kernel_files import kernel_text
from .modules import installed_distributions
from .placement import machine, told_by_all
from .room import without_room

SHARED_MEMORY = "/dev/shm"  # noqa: S108 - the place to examine
_TRIED_BYTES = 8 << 20
_TEMPORARY_BYTES = 1 << 20
_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
_PMIX = ("PMIX_VERSION", "PMIX_GDS_MODULE", "PMI_FD", "PMI_PORT", "SLURM_MPI_TYPE")


def surroundings(gfx: Sequence[str]) -> Dict[str, Any]:
    """Collect everything that can be known before communication begins.

    Args:
        gfx: the LLVM targets of AMD's GPUs that count.
    """
    return {
        "python": platform.python_version(),
        "prefix": sys.prefix,
        "kernel": platform.release(),
        "memlock": _limit(resource.RLIMIT_MEMLOCK),
        "stack": _limit(resource.RLIMIT_STACK),
        "nofile": _limit(resource.RLIMIT_NOFILE),
        "addresses": _limit(resource.RLIMIT_AS),
        "memory": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
        "cpus": len(os.sched_getaffinity(0)),
        "affinity": sorted(os.sched_getaffinity(0)),
        "cores": cores_of(os.sched_getaffinity(0)),
        "host_cpus": os.cpu_count(),
        "cpu_time": own_processors_worth(),
        "threads": {name: os.environ[name] for name in _THREADS if name in os.environ},
        "shm": shared_memory(SHARED_MEMORY),
        "temporary": temporary_files(dict(os.environ)),
        "environment": environment_digest(),
        "boot": machine(),
        "told": told_by_all(dict(os.environ)),
        "process_manager": {name: os.environ[name] for name in _PMIX if name in os.environ},
        "fabric": usable(),
        "gpus": _gpus(),
        "amd_gpus": _amd_gpus(gfx),
    }


def cores_of(processors: Iterable[int], folder: str = "/sys/devices/system/cpu") -> int:
    """Count the cores of these processors, of which one core may offer several (hardware threads).

    One that the kernel tells no siblings of counts as a core (its sysfs-devices-system-cpu).
    """
    paths = (os.path.join(folder, "cpu%d/topology/thread_siblings_list" % number) for number in processors)
    return len({kernel_text(path) or path for path in paths})


def shared_memory(folder: str) -> Dict[str, Any]:
    """Return size and free bytes, and the ``error`` of writing a few MiB there, empty if it went well.

    Communication libraries make a file of this size for each pair of local ranks and touch it later: if the
    file system is full by then, they die of a bus error without a message.
    """
    found: Dict[str, Any] = {"size": 0, "free": 0, "error": ""}
    try:
        state = os.statvfs(folder)
        found["size"], found["free"] = state.f_blocks * state.f_frsize, state.f_bavail * state.f_frsize
    except OSError as error:
        found["error"] = "%s: %s" % (folder, error.strerror)
    found["error"] = found["error"] or without_room(folder, _TRIED_BYTES)
    return found


def temporary_files(environ: Dict[str, str]) -> Dict[str, str]:
    """Return the ``folder`` that TMPDIR names, else /tmp, and the ``error`` of writing a file there.

    MPIs have sockets and files of their session there. One that is not there is no matter, as they make it or
    take another.
    """
    folder = environ.get("TMPDIR") or "/tmp"  # noqa: S108 - the place to examine
    there = os.path.isdir(folder)
    return {"folder": folder, "error": without_room(folder, _TEMPORARY_BYTES) if there else ""}


def environment_digest() -> str:
    """Return a digest of what is installed: equal for equal environments, wherever they are."""
    digest = hashlib.sha256()
    for name, metadata in sorted(installed_distributions().items()):
        record = os.path.join(metadata, "RECORD")
        digest.update(name.encode() + b"\0" + os.path.basename(metadata).encode() + b"\0")
        if os.path.isfile(record):
            with open(record, "rb") as stream:
                rows = [row for row in stream.read().splitlines() if not row.startswith(b"..")]
            digest.update(b"\n".join(sorted(row for row in rows if b".dist-info/" not in row)))
    return digest.hexdigest()


def process_manager_client(libraries: List[str]) -> str:
    """Return what the mapped PMIx library calls itself; empty if none is mapped."""
    for path in libraries:
        if os.path.basename(path).startswith("libpmix.so"):
            version = ctypes.CDLL(path).PMIx_Get_version
            version.restype = ctypes.c_char_p
            return re.split(r"[,(]", (version() or b"").decode("utf-8", "replace"))[0].strip()
    return ""


def _limit(number: int) -> Any:
    soft, _ = resource.getrlimit(number)
    return "unlimited" if soft == resource.RLIM_INFINITY else soft


def _gpus() -> Dict[str, Any]:
    """List GPUs without initialising the driver's library, because a process that did so must not fork."""
    uuids = []
    for path in sorted(glob.glob("/proc/driver/nvidia/gpus/*/information")):
        rows = kernel_text(path).splitlines()
        uuids += [row.partition(":")[2].strip() for row in rows if row.startswith("GPU UUID")]
    files = [os.path.basename(path) for path in reachable({})]
    return {
        "uuids": uuids,
        "reachable": len(files),
        "files": files,
        "visible": os.environ.get("CUDA_VISIBLE_DEVICES"),
        "driver": kernel_text("/proc/driver/nvidia/version").partition("\n")[0].strip(),
    }


def _amd_gpus(gfx: Sequence[str]) -> Dict[str, Any]:
    """List AMD's GPUs in the same form, of which the kernel tells those of this process alone."""
    found = amd.gpus(gfx)
    return {
        "uuids": [gpu.uuid for gpu in found],
        "reachable": len(found),
        "files": [os.path.basename(gpu.file) for gpu in found],
        "visible": amd.shown(dict(os.environ)),
        "driver": amd.driver_version() if found else "",
    }
