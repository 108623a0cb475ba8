"""PyTorch's process group over NCCL, and over which paths NCCL went."""

import os
import re
from typing import List

from .base import Job, NotApplicableError, Own, World
from .torch_distributed import TorchDistributed

_PATH = re.compile(r"\bvia (\S+)")


class TorchNccl(TorchDistributed):
    """torch.distributed with the back end nccl; each rank takes the GPU of its number on its host."""

    name = "torch-nccl"
    library = "nccl"

    def load(self) -> None:
        """Import the library; without a GPU there is nothing to do."""
        TorchDistributed.load(self)
        if not self._torch.cuda.is_available():
            raise NotApplicableError("no GPU")
        if not self._dist.is_nccl_available():
            raise NotApplicableError("this PyTorch was built without NCCL")

    def open(self, job: Job) -> World:
        """Choose the GPU, and have NCCL write down what it does."""
        local = job.placement.local_rank
        gpus = self._torch.cuda.device_count()
        rank = job.placement.rank if local is None else local
        self._device = "cuda:%d" % ((rank or 0) % gpus)
        self._torch.cuda.set_device(self._device)
        self._log = os.path.join(job.folder, "nccl-%d.log" % os.getpid())
        os.environ.setdefault("NCCL_DEBUG", "INFO")
        os.environ.setdefault("NCCL_DEBUG_FILE", self._log)
        world = TorchDistributed.open(self, job)
        world.facts["gpu"] = self._torch.cuda.get_device_name(self._device)
        world.facts["nccl"] = str(self._torch.cuda.nccl.version())
        return world

    def _settle(self) -> None:
        self._torch.cuda.synchronize()

    def own_checks(self) -> Own:
        """Which paths NCCL chose."""
        return [("C7", "NCCL transport", self._transport)]

    def _transport(self, _world: World) -> str:
        try:
            with open(os.environ["NCCL_DEBUG_FILE"], encoding="utf-8", errors="replace") as stream:
                found = sorted(set(_PATH.findall(stream.read())))
        except OSError:
            raise NotApplicableError("NCCL wrote no log") from None
        if any(path.startswith("NET/Socket") for path in found) and _infiniband():
            raise AssertionError("NCCL goes over sockets although there is %s" % ", ".join(_infiniband()))
        return "over " + (", ".join(found) or "no other GPU")


def _infiniband() -> List[str]:
    folder = "/sys/class/infiniband"
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []
