"""PyTorch's process group over MPI, which only builds from source have."""

from .base import NotApplicableError
from .torch_distributed import TorchDistributed


class TorchMpi(TorchDistributed):
    """torch.distributed with the back end mpi, on the CPU."""

    name = "torch-mpi"
    library = "mpi"
    dtypes = ("int32", "int64", "float32", "float64")

    def load(self) -> None:
        """Import the library; most wheels of PyTorch come without MPI."""
        TorchDistributed.load(self)
        if not self._dist.is_mpi_available():
            raise NotApplicableError("this PyTorch was built without MPI")
