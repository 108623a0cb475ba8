"""The GPUs a process may use, according to device files, variables and PyTorch, and one for each rank."""

import ctypes
import glob
import hashlib
import os
from typing import Any, Dict, List

from .. import amd, native
from ..gathering import by_host, everyones
from ..placement import machine
from ..plan import Plan
from .base import BackEnd, NotApplicableError, World

_BUS_ID_LENGTH = 32


def reachable(environ: Dict[str, str]) -> List[str]:
    """Return the device files of GPUs that this process may open, unless a variable hides all GPUs."""
    if environ.get("CUDA_VISIBLE_DEVICES") in amd.HIDDEN:
        return []
    return sorted(path for path in glob.glob("/dev/nvidia[0-9]*") if os.access(path, os.R_OK | os.W_OK))


def any_here(plan: Plan, environ: Dict[str, str]) -> bool:
    """Whether this process may use a GPU, of NVIDIA's or of AMD's that the lock was made for."""
    return bool(reachable(environ) or amd.reachable(environ, plan.expect.get("gfx", [])))


def why_none(torch: Any) -> Exception:
    """Explain why PyTorch sees no GPU: there is none to see, or something is wrong with it."""
    hip = getattr(torch.version, "hip", None)
    if not (torch.version.cuda or hip):
        return NotApplicableError("this PyTorch was built without CUDA")
    environ = dict(os.environ)
    there = amd.reachable(environ, _made_for(torch)) if hip else reachable(environ)
    if not there:
        return NotApplicableError("no GPU")
    try:
        torch.zeros(1, device="cuda")
    except Exception as error:
        return RuntimeError("%s is here, and PyTorch cannot use it: %s" % (there[0], error))
    return RuntimeError("%s is here, and PyTorch does not see it" % there[0])


def _made_for(torch: Any) -> List[str]:
    """Return the LLVM targets that a PyTorch with HIP has code for, which it tells without a GPU, too."""
    flags = getattr(torch._C, "_cuda_getArchFlags", None)  # noqa: SLF001 - what get_arch_list asks
    return [flag.partition(":")[0] for flag in ((flags() or "") if flags else "").split()]


def take_gpu(torch: Any, asking: BackEnd, world: World) -> str:
    """Take the GPU whose index on the machine is this rank's index among the machine's ranks; collective.

    Args:
        torch: the module; the device becomes its current one.
        asking: the back end over which to ask the ranks, with tensors on the CPU.
        world: the ranks.

    Raises:
        NotApplicableError: there is no GPU, or ranks would share one, which NCCL refuses.
        RuntimeError: PyTorch cannot use the GPU, or only some ranks have one.
    """
    here = next(ranks for ranks in by_host(asking, world, machine()) if world.rank in ranks)
    own = torch.cuda.device_count() if torch.cuda.is_available() else 0
    counts = everyones(asking, world, own, "gpus")
    if not own:
        raise why_none(torch)
    if not all(counts):
        without = [str(rank) for rank, count in enumerate(counts) if not count]
        raise RuntimeError("there is no GPU for rank %s" % ", ".join(without))
    number = here.index(world.rank) % own
    device = "cuda:%d" % number
    torch.cuda.set_device(device)
    place = "%s %s" % (machine(), bus_id(number) or "of rank %d" % world.rank)
    digest = int(hashlib.sha256(place.encode()).hexdigest()[:15], 16)
    taken = len(set(everyones(asking, world, digest, "places")))
    if taken < world.size:
        raise NotApplicableError(
            "%d ranks would share %d GPUs, and NCCL wants one for each" % (world.size, taken)
        )
    return device


def bus_id(ordinal: int) -> str:
    """Return a GPU's place on the PCI bus by its ordinal in CUDA or HIP; empty if that does not give it.

    NCCL and RCCL compare it to see whether two ranks share a GPU; slices of one (MIG) have the same place.
    """
    text = ctypes.create_string_buffer(_BUS_ID_LENGTH)
    hip = amd.hip(native.own_libraries())
    if hip is not None:
        refused = hip.hipDeviceGetPCIBusId(text, _BUS_ID_LENGTH, ordinal)
        return "" if refused else text.value.decode("ascii", "replace")
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return ""
    device = ctypes.c_int()
    if driver.cuDeviceGet(ctypes.byref(device), ordinal):
        return ""
    if driver.cuDeviceGetPCIBusId(text, _BUS_ID_LENGTH, device):
        return ""
    return text.value.decode("ascii", "replace")
