"""Horovod over PyTorch tensors."""

import importlib
from typing import Any, List

from .base import BackEnd
from .horovod import Horovod
from .torch_tensors import TorchTensors


class HorovodTorch(Horovod, TorchTensors, BackEnd):
    """horovod.torch; its background thread fuses tensors that are in flight together."""

    name = "horovod-torch"
    modes = ("out of place", "in place", "fused")

    def load(self) -> None:
        """Import the library."""
        self._torch = importlib.import_module("torch")
        self._hvd = importlib.import_module("horovod.torch")

    def allreduce(self, tensors: List[Any], mode: str, label: str) -> List[Any]:
        """One after the other, or all in flight and then waited for."""
        hvd = self._hvd
        summing = self.sum_arguments()
        names = ["probe.%s.%d" % (label, number) for number in range(len(tensors))]
        if mode == "fused":
            handles = [hvd.allreduce_async_(t, name=name, **summing) for t, name in zip(tensors, names)]
            return [hvd.synchronize(handle) for handle in handles]
        call = hvd.allreduce_ if mode == "in place" else hvd.allreduce
        return [call(t, name=name, **summing) for t, name in zip(tensors, names)]
