"""MPI through mpi4py, on plain arrays of the standard library, so that NumPy need not be there."""

import importlib
from array import array
from typing import Any, List

from .. import sabotage
from .base import BackEnd, Job, World

_CODES = {"int32": "i", "int64": "q", "float32": "f", "float64": "d"}


class Mpi4py(BackEnd):
    """mpi4py, which initialises MPI with MPI_THREAD_MULTIPLE on import, as Horovod needs it."""

    name = "mpi4py"
    modes = ("out of place", "in place")

    def load(self) -> None:
        """Import the library, which initialises MPI."""
        self._mpi: Any = importlib.import_module("mpi4py.MPI")

    def open(self, job: Job) -> World:
        """Take the world that MPI gave."""
        mpi = self._mpi
        self._world: Any = mpi.COMM_SELF if sabotage.alone(job.plan.sabotage) else mpi.COMM_WORLD
        job.mpi.update(
            rank=self._world.Get_rank(),
            size=self._world.Get_size(),
            library=mpi.Get_library_version().split("\x00")[0].strip(),
            standard="%d.%d" % tuple(mpi.Get_version()),
            thread_multiple=mpi.Query_thread() >= mpi.THREAD_MULTIPLE,
            processor=mpi.Get_processor_name(),
        )
        version = importlib.import_module("mpi4py").__version__
        return World(job.mpi["rank"], job.mpi["size"], None, {"mpi4py": version})

    def tensor(self, dtype: str, period: List[int], count: int) -> Any:
        """An array of the standard library."""
        return (array(_CODES[dtype], period) * (count // len(period) + 1))[:count]

    def allreduce(self, tensors: List[Any], mode: str, _label: str) -> List[Any]:
        """MPI_Allreduce, one tensor at a time."""
        sums = []
        for tensor in tensors:
            if mode == "in place":
                self._world.Allreduce(self._mpi.IN_PLACE, tensor, op=self._mpi.SUM)
                sums.append(tensor)
            else:
                total = array(tensor.typecode, bytes(tensor.itemsize * len(tensor)))
                self._world.Allreduce(tensor, total, op=self._mpi.SUM)
                sums.append(total)
        return sums

    def differences(self, got: Any, wanted: Any) -> List[int]:
        """Compare arrays."""
        if got == wanted:
            return []
        return [index for index, pair in enumerate(zip(got, wanted)) if pair[0] != pair[1]]

    def close(self) -> None:
        """Finalise MPI here, where a hang is seen, and not when the interpreter goes."""
        if not self._mpi.Is_finalized():
            self._world.Barrier()
            self._mpi.Finalize()
