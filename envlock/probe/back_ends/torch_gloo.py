"""PyTorch's process group over Gloo, which needs no MPI."""

from .torch_distributed import TorchDistributed


class TorchGloo(TorchDistributed):
    """torch.distributed with the back end gloo, on the CPU."""

    name = "torch-gloo"
