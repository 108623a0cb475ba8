"""GPUs checked against the environment (S4, S6, L9) through the driver's own library, if there is one.

Runs in a process of its own: initialising the driver can crash, and a process that did so must not fork.
"""

import ctypes
import functools
import os
import re
import struct
from typing import Any, Dict, FrozenSet, Iterator, List, Optional, Tuple

from . import amd
from .elf import read_sections
from .files import shared_objects
from .gpu_amd import check_amd
from .isolation import Reporter
from .modules import installed_distributions
from .peers import peers_check
from .plan import Plan
from .verdict import NO_GPU, not_applicable, verdict

_MAJOR_ATTRIBUTE, _MINOR_ATTRIBUTE = 75, 76  # CUdevice_attribute, cuda.h
_NO_DEVICE = 100  # CUDA_ERROR_NO_DEVICE, cuda.h
_REASONS = {
    34: "libcuda.so.1 is a toolkit's stub, which another folder hides the driver's with",
    46: "every GPU is taken, or in a compute mode that refuses this process",
    101: "CUDA_VISIBLE_DEVICES names a GPU that is not here",
    802: "the system is not ready; on machines with NVSwitch NVIDIA's Fabric Manager must run",
    803: "the driver's library and its kernel module differ; the node waits for a reboot, or a container "
    "brings another driver's library",
    804: "the library is one of forward compatibility (cuda-compat), which this GPU has not",
}
"""CUresult of cuInit -> what it means for whoever runs the node (cuda.h, CUDA Compatibility)."""

_MINOR_VERSIONS_SINCE = 11
"""The first CUDA major whose releases run on any driver of the same major (CUDA Compatibility)."""

_FATBIN = 0xBA55ED50
_PTX, _CUBIN = 1, 2
_SPECIFIC = 0x100000
_MOST_OF_IT = 0.5
Code = FrozenSet[Tuple[str, int, str]]
_CHECKS = (("S4", "GPU code"), ("S6", "driver"), ("L9", "GPU to GPU"))


def check_gpus(plan: Plan, given: Dict[str, Any], report: Reporter) -> None:
    """Run S4, S6 and L9 in the child process."""
    targets = plan.expect.get("gfx", [])
    if amd.reachable(dict(os.environ), targets):
        check_amd(plan, amd.gpus(targets), given, report)
        return
    driver = _driver()
    report(begins="initialising the driver")
    status = _NO_DEVICE if driver is None else driver.cuInit(0)
    if status == _NO_DEVICE:
        for identifier, name in _CHECKS:
            report(check=not_applicable(identifier, name, no_gpu(dict(os.environ))))
        return
    if status:
        message = "the driver does not start: %s" % refusal(driver, status)
        report(check=not_applicable("S4", "GPU code", "not applicable: the driver does not start"))
        report(check=verdict("S6", "driver", "failed", message, {"status": status}))
        report(check=not_applicable("L9", "GPU to GPU", "not applicable: the driver does not start"))
        return
    devices = _capabilities(driver)
    report(begins="reading GPU code")
    report(check=_code_check(plan, devices))
    report(check=_driver_check(driver, list(given.get("libraries", {}))))
    report(check=peers_check(len(devices), functools.partial(_reaches, driver)))


def no_gpu(environ: Dict[str, str]) -> str:
    """Explain why there is no GPU: none is here, or a variable hides it."""
    shown = environ.get("CUDA_VISIBLE_DEVICES")
    return NO_GPU if shown is None else "%s, with CUDA_VISIBLE_DEVICES=%s" % (NO_GPU, shown)


def refusal(driver: Any, status: int) -> str:
    """Explain why cuInit refused, by the driver's own name for it and its meaning for the node."""
    text = ctypes.c_char_p()
    known = not driver.cuGetErrorName(status, ctypes.byref(text)) and text.value
    name = text.value.decode("ascii", "replace") if known and text.value else "error %d of cuInit" % status
    return "%s: %s" % (name, _REASONS[status]) if status in _REASONS else name


def gpu_code(path: str) -> List[Code]:
    """The code in each fat binary of a file: ``("sm", 70, "")`` is machine code, ``("ptx", 75, "")`` PTX.

    ``("sm", 90, "a")`` was compiled with architecture-specific features. A fat binary is a header of 16 bytes
    (magic, version, header size, size) followed by entries, each with kind at byte 0, header size at 4, size
    at 8, architecture at 28 and flags at 40, as cuobjdump shows them. The flag for such features is the one
    that tells code for 9.0a from other code in the wheel of onnxruntime-gpu 1.23.0.
    """
    return read_sections(path, ".nv_fatbin", _fat_binaries)


def _fat_binaries(data: Any, start: int, end: int) -> Iterator[Code]:
    place = start
    while place + 16 <= end:
        magic, _, header, size = struct.unpack_from("<IHHQ", data, place)
        if magic != _FATBIN:
            place += 8
            continue
        entry, last = place + header, min(end, place + header + size)
        found = set()
        while entry + 64 <= last:
            kind, _, inner, length = struct.unpack_from("<HHIQ", data, entry)
            if kind in (_PTX, _CUBIN):
                architecture, flags = struct.unpack_from("<I8xQ", data, entry + 28)
                found.add(("ptx" if kind == _PTX else "sm", architecture, "a" if flags & _SPECIFIC else ""))
            if inner + length == 0:
                break
            entry += inner + length
        yield frozenset(found)
        place = max(place + 8, last + (-last) % 8)


def covered(binaries: List[Code], capability: int) -> float:
    """Return the share of fat binaries with some code that a GPU can run.

    That is machine code of its generation up to its own capability, or PTX not above it; with
    architecture-specific features, either runs only on that architecture. A single kernel with PTX does not
    make a library fit, so the share is returned and not whether there is any.
    """
    fitting = [code for code in binaries if any(_runs(*kernel, capability) for kernel in code)]
    return len(fitting) / max(1, len(binaries))


def _runs(kind: str, number: int, specific: str, capability: int) -> bool:
    if specific:
        return number == capability
    return number <= capability and (kind == "ptx" or number // 10 == capability // 10)


def _code_check(plan: Plan, devices: List[int]) -> Dict[str, Any]:
    if not devices:
        return not_applicable("S4", "GPU code", NO_GPU)
    code: Dict[str, List[Code]] = {}
    for name, path in shared_objects(installed_distributions(), plan.names()):
        code.setdefault(name, []).extend(gpu_code(path))
    told = {
        name: sorted({"%s_%d%s" % kernel for each in found for kernel in each})
        for name, found in code.items()
        if found
    }
    lacking = [
        "%s has code for %s, and %.0f %% of it runs on %.1f"
        % (name, ", ".join(told[name]), 100 * covered(code[name], capability), capability / 10)
        for name in sorted(told)
        for capability in sorted(set(devices))
        if covered(code[name], capability) < _MOST_OF_IT
    ]
    if not told:
        return not_applicable("S4", "GPU code", "not applicable: no GPU code in this environment")
    if lacking:
        return verdict("S4", "GPU code", "failed", "; ".join(lacking), {"code": told, "devices": devices})
    message = "code for %s in %s" % (", ".join(map(str, sorted(set(devices)))), ", ".join(sorted(told)))
    return verdict("S4", "GPU code", "passed", message, {"code": told, "devices": devices})


def _driver_check(driver: Any, libraries: List[str]) -> Dict[str, Any]:
    """Check that the driver is at least each runtime's version or, from CUDA 11 on, of its major."""
    number = ctypes.c_int()
    driver.cuDriverGetVersion(ctypes.byref(number))
    offers = (number.value // 1000, number.value % 1000 // 10)
    runtimes = {
        path: _runtime(path) for path in libraries if re.match(r"libcudart[-.]", os.path.basename(path))
    }
    newer = {path: one for path, one in runtimes.items() if one and not _serves(offers, one)}
    details = {
        "driver": "%d.%d" % offers,
        "runtimes": {path: "%d.%d" % one for path, one in runtimes.items() if one},
    }
    if newer:
        told = ", ".join("%s is CUDA %d.%d" % ((path,) + one) for path, one in newer.items())
        return verdict(
            "S6", "driver", "failed", "the driver runs CUDA up to %d.%d; %s" % (offers + (told,)), details
        )
    return verdict("S6", "driver", "passed", "the driver runs CUDA up to %d.%d" % offers, details)


def _serves(driver: Tuple[int, int], runtime: Tuple[int, int]) -> bool:
    if runtime[0] >= _MINOR_VERSIONS_SINCE:
        return driver[0] >= runtime[0]
    return driver >= runtime


def _runtime(path: str) -> Optional[Tuple[int, int]]:
    number = ctypes.c_int()
    if ctypes.CDLL(path).cudaRuntimeGetVersion(ctypes.byref(number)):
        return None
    return number.value // 1000, number.value % 1000 // 10


def _reaches(driver: Any, one: int, other: int) -> bool:
    able = ctypes.c_int()
    return not driver.cuDeviceCanAccessPeer(ctypes.byref(able), one, other) and bool(able.value)


def _driver() -> Any:
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None


def _capabilities(driver: Any) -> List[int]:
    """Return ten times the compute capability of each visible GPU."""
    count, value, device = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
    driver.cuDeviceGetCount(ctypes.byref(count))
    found = []
    for ordinal in range(count.value):
        numbers = []
        driver.cuDeviceGet(ctypes.byref(device), ordinal)
        for attribute in (_MAJOR_ATTRIBUTE, _MINOR_ATTRIBUTE):
            driver.cuDeviceGetAttribute(ctypes.byref(value), attribute, device)
            numbers.append(value.value)
        found.append(numbers[0] * 10 + numbers[1])
    return found
