"""The communication libraries that a rank checks, one module for each."""

from typing import Callable, Dict

from .base import BackEnd
from .horovod_tensorflow import HorovodTensorflow
from .horovod_torch import HorovodTorch
from .mpi4py import Mpi4py
from .torch_gloo import TorchGloo
from .torch_mpi import TorchMpi
from .torch_nccl import TorchNccl

BACK_ENDS: Dict[str, Callable[[], BackEnd]] = {
    "mpi4py": Mpi4py,
    "torch-gloo": TorchGloo,
    "torch-nccl": TorchNccl,
    "torch-mpi": TorchMpi,
    "horovod-torch": HorovodTorch,
    "horovod-tensorflow": HorovodTensorflow,
}
"""Name in the plan -> back end."""
