"""MPI on GPU buffers: whether the library claims support, and whether the values are right (check C4)."""

import ctypes
import importlib
import os
import sys
from typing import Any, Dict, List

from .. import native
from ..plan import release
from .base import BackEnd, NotApplicableError
from .mpi4py import Mpi4py

_DRIVER = "/dev/nvidiactl"
_COUNTS = (2, 1 << 10, 1 << 20)
_DEVICE_BUFFERS_SINCE = (3, 1)
"""The first mpi4py that accepts objects with __cuda_array_interface__ (its changes, 3.1.0)."""
_CUDA = 0
"""MPIX_GPU_SUPPORT_CUDA (mpi.h of MPICH)."""


def sum_gpu_buffers(opened: List[BackEnd]) -> str:
    """Reduce PyTorch's GPU tensors through mpi4py.

    A library without support reads device memory as if it were the host's and crashes, or sums garbage; so it
    is asked first, and this is the last thing that a rank does.

    Raises:
        NotApplicableError: there is no GPU, nothing to make buffers with, or the library denies support.
        AssertionError: the library claims support, but a sum is wrong.
    """
    if not os.path.exists(_DRIVER):
        raise NotApplicableError("no GPU of NVIDIA's, and with others it is not tried")
    mpi = next((back_end for back_end in opened if isinstance(back_end, Mpi4py)), None)
    torch: Any = sys.modules.get("torch")
    if mpi is None or torch is None or not torch.cuda.is_available():
        raise NotApplicableError("no mpi4py and PyTorch with CUDA beside each other")
    version = importlib.import_module("mpi4py").__version__
    if release(version) < _DEVICE_BUFFERS_SINCE:
        raise NotApplicableError("mpi4py %s takes no GPU buffers, 3.1 does" % version)
    if not says_cuda_aware(native.own_libraries()):
        raise NotApplicableError("this MPI says that it takes no GPU buffers")
    rank, size = mpi.place()
    for count in _COUNTS:
        wanted = size * (size + 1) // 2
        mine = torch.full((count,), float(rank + 1), device="cuda")
        torch.cuda.synchronize()
        (total,) = mpi.allreduce([mine], "in place", "gpu")
        torch.cuda.synchronize()
        if not bool((total == wanted).all()):
            raise AssertionError(
                "%d floats on the GPU: expected %d, got %s" % (count, wanted, total[:4].tolist())
            )
    return "sums of %s floats exact" % ", ".join(map(str, _COUNTS))


def says_cuda_aware(libraries: Dict[str, str]) -> bool:
    """Whether the mapped MPI says that it is CUDA-aware; false where it does not say.

    MPIX_GPU_query_support is from MPICH and Cray, and its answer is for this run (MPICH_GPU_SUPPORT_ENABLED);
    MPIX_Query_cuda_support is from Open MPI, and its relatives and MPICH have it as well.
    """
    for path in native.families(libraries).get("mpi", []):
        library = ctypes.CDLL(path)
        if hasattr(library, "MPIX_GPU_query_support"):
            able = ctypes.c_int()
            return not library.MPIX_GPU_query_support(_CUDA, ctypes.byref(able)) and bool(able.value)
        if hasattr(library, "MPIX_Query_cuda_support"):
            return bool(library.MPIX_Query_cuda_support())
    return False
