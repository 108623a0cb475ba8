"""Libraries called as the known benchmarks call them, with less care than programs take.

The differences from the ordinary back ends: memory as in IMB (MPI_Alloc_mem, filled once and shared by all
sizes, so that what one size leaves in the caches serves the next), MPI initialised without calls from other
threads, empty calls, and calls that do not wait for the device.
"""

import functools
import importlib
from array import array
from typing import Any, Callable, Dict

from .base import BackEnd, Job, World
from .mpi4py import Mpi4py
from .torch_nccl import TorchNccl


class Mpi4pyAsBenchmark(Mpi4py):
    """MPI_Allreduce through mpi4py, as IMB-MPI1 and osu_allreduce call it."""

    each_alone = True

    def load(self) -> None:
        """Request the thread level of MPI_Init, as both benchmarks do; locks would slow small messages."""
        importlib.import_module("mpi4py").rc.thread_level = "funneled"
        Mpi4py.load(self)

    def open(self, job: Job) -> World:
        """Also allocate the memory that the largest size needs."""
        world = Mpi4py.open(self, job)
        self._mine, self._total = (self._filled(max(job.plan.calls), value) for value in (1.0, 0.0))
        return world

    def reduction(self, size: int, _mode: str) -> Callable[[], Any]:
        """Reduce out of place, in memory from MPI itself, of which every page was written."""
        float32 = self._mpi.FLOAT
        count = size // 4
        return functools.partial(
            self._world.Allreduce, [self._mine, count, float32], [self._total, count, float32], self._mpi.SUM
        )

    def _filled(self, size: int, value: float) -> Any:
        count = max(1, size // 4)
        memory = self._mpi.Alloc_mem(4 * count)
        memory[:] = array("f", [value] * count).tobytes()
        return memory


class TorchNcclAsBenchmark(TorchNccl):
    """all_reduce of torch.distributed over NCCL, in place, started as nccl-tests start theirs."""

    def reduction(self, size: int, _mode: str) -> Callable[[], Any]:
        """Return a call that does not wait for the device."""
        tensor = self.tensor("float32", [0], max(1, size // 4))
        return functools.partial(self._dist.all_reduce, tensor, **self._in_group())

    def settle(self) -> None:
        """Wait for the device."""
        self._settle()


AS_BENCHMARKS: Dict[str, Callable[[], BackEnd]] = {
    "mpi4py": Mpi4pyAsBenchmark,
    "torch-nccl": TorchNcclAsBenchmark,
}
"""Name of a back end -> the variant that calls as its benchmarks do."""
