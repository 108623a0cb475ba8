"""Horovod over PyTorch tensors."""

import copy
import importlib
import time
from typing import Any, Callable, List, Optional

from .base import BackEnd, NotApplicableError, Trainer, World, cut
from .gpus import take_gpu
from .horovod import Horovod, built_features
from .torch_tensors import TorchTensors
from .torch_training import TorchTrainer


class HorovodTorch(Horovod, TorchTensors, BackEnd):
    """The binding horovod.torch, whose background thread fuses tensors that are in flight together."""

    name = "horovod-torch"
    modes = ("out of place", "in place", "fused")

    def load(self) -> None:
        """Import the library."""
        self._torch = importlib.import_module("torch")
        self._hvd = importlib.import_module("horovod.torch")

    def allreduce(self, tensors: List[Any], mode: str, label: str) -> List[Any]:
        """Reduce one after the other, or put all in flight and then wait for them."""
        hvd = self._hvd
        summing = self.sum_arguments()
        names = ["probe.%s.%d" % (label, number) for number in range(len(tensors))]
        if mode == "fused":
            handles = [hvd.allreduce_async_(t, name=name, **summing) for t, name in zip(tensors, names)]
            return [hvd.synchronize(handle) for handle in handles]
        call = hvd.allreduce_ if mode == "in place" else hvd.allreduce
        return [call(t, name=name, **summing) for t, name in zip(tensors, names)]

    def reduction(self, size: int, mode: str) -> Callable[[], Any]:
        """Reduce in place, with names that stay the same, as those of gradients do."""
        pieces, count = cut(size, mode)
        tensors = [self.tensor("float32", [0], count) for _ in range(pieces)]
        return lambda: self.allreduce(
            tensors, "fused" if mode == "fused" else "in place", "%s.%d" % (mode, size)
        )

    def call(self, collective: str, tensor: Any, label: str) -> Any:
        """Call broadcast, allgather or alltoall."""
        if collective == "broadcast":
            return self._hvd.broadcast(tensor, 0, name=label)
        found = getattr(self._hvd, collective)(tensor, name=label)
        return found[0] if isinstance(found, tuple) else found

    def on_gpus(self, world: World) -> BackEnd:
        """Put tensors on each rank's GPU, which Horovod reduces by another library than those on the CPU.

        Raises:
            NotApplicableError: it was built without GPU support, or there is no GPU for each rank.
        """
        built = built_features(self._hvd)
        if not (built.get("nccl_built") or built.get("cuda_built")):
            raise NotApplicableError("this Horovod was built without operations on GPUs")
        moved = copy.copy(self)
        moved._device = take_gpu(self._torch, self, world)  # noqa: SLF001 - another object of this class
        return moved

    def trainer(self, world: World, mixed: bool) -> Trainer:
        """Return a model under Horovod's own optimizer."""
        return _Training(self._torch, world, self._device, self._hvd, mixed)


class _Training(TorchTrainer):
    """The same model with hvd.DistributedOptimizer, which reduces during the backward pass.

    In mixed precision it reduces in float16.
    """

    def __init__(self, torch: Any, world: World, device: str, hvd: Any, mixed: bool) -> None:
        TorchTrainer.__init__(
            self,
            torch,
            world,
            device,
            average=lambda _: None,
            from_first=lambda model: hvd.broadcast_parameters(model.state_dict(), root_rank=0),
            mixed=mixed,
        )
        self._optimizer = hvd.DistributedOptimizer(
            torch.optim.SGD(self._model.parameters(), lr=self.rate),
            named_parameters=self._model.named_parameters(),
            compression=hvd.Compression.fp16 if mixed else hvd.Compression.none,
        )

    def step(self) -> Optional[float]:
        """Run the forward and backward passes; the optimizer waits for the reductions and steps."""
        begin = time.perf_counter()
        self._optimizer.zero_grad()
        self.backward()
        computing = time.perf_counter() - begin
        self._optimizer.step()
        return computing
