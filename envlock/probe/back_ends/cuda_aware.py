"""MPI on GPU buffers: what the library says of itself, and whether the values are right (check C4)."""

import ctypes
import os
import sys
from typing import Any, List

from .. import native
from .base import BackEnd, NotApplicableError
from .mpi4py import Mpi4py

_DRIVER = "/dev/nvidiactl"
_COUNTS = (2, 1 << 10, 1 << 20)


def sum_gpu_buffers(opened: List[BackEnd]) -> str:
    """Reduce PyTorch's GPU tensors through mpi4py.

    A library without support reads device memory as if it were the host's and crashes, or sums what is not
    there; so it is asked first, and this is the last thing that a rank does.

    Raises:
        NotApplicableError: there is no GPU, nothing to make buffers with, or the library says that it cannot.
        AssertionError: it says that it can, and a sum is wrong.
    """
    if not os.path.exists(_DRIVER):
        raise NotApplicableError("no GPU")
    mpi = next((one for one in opened if isinstance(one, Mpi4py)), None)
    torch: Any = sys.modules.get("torch")
    if mpi is None or torch is None or not torch.cuda.is_available():
        raise NotApplicableError("no mpi4py and PyTorch with CUDA beside each other")
    if not says_cuda_aware():
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


def says_cuda_aware() -> bool:
    """MPIX_Query_cuda_support of Open MPI and its relatives; false where a library does not have it."""
    for path in native.families(native.own_libraries()).get("mpi", []):
        library = ctypes.CDLL(path)
        if hasattr(library, "MPIX_Query_cuda_support"):
            return bool(library.MPIX_Query_cuda_support())
    return False
