"""PyTorch's own process group over gloo, which needs no MPI."""

import datetime as dt
import importlib
import os
from typing import Any, List, Tuple

from ..sabotage import alone
from .base import BackEnd, Job, World
from .torch_tensors import TorchTensors


class NoAgreedRanksError(Exception):
    """Neither MPI nor the launcher gives the number of ranks that were asked for."""


class TorchGloo(TorchTensors, BackEnd):
    """torch.distributed with the back end gloo; the ranks meet through a file in the shared folder."""

    name = "torch-gloo"
    modes = ("in place",)

    def load(self) -> None:
        """Import the library."""
        self._torch: Any = importlib.import_module("torch")
        self._dist: Any = importlib.import_module("torch.distributed")

    def open(self, job: Job) -> World:
        """Meet the other ranks."""
        rank, size = agreed_place(job)
        meeting = os.path.abspath(os.path.join(job.folder, "gloo-meeting"))
        if alone(job.plan.sabotage):
            rank, size, meeting = 0, 1, "%s-%d" % (meeting, os.getpid())
        self._dist.init_process_group(
            "gloo",
            init_method="file://" + meeting,
            rank=rank,
            world_size=size,
            timeout=dt.timedelta(seconds=job.plan.deadlines["phase"]),
        )
        facts = {"torch": self._torch.__version__, "interface": os.environ.get("GLOO_SOCKET_IFNAME", "")}
        return World(self._dist.get_rank(), self._dist.get_world_size(), None, facts)

    def allreduce(self, tensors: List[Any], _mode: str, _label: str) -> List[Any]:
        """all_reduce, which is in place."""
        for tensor in tensors:
            self._dist.all_reduce(tensor)
        return tensors

    def close(self) -> None:
        """Leave the process group."""
        self._dist.barrier()
        self._dist.destroy_process_group()


def agreed_place(job: Job) -> Tuple[int, int]:
    """Rank and size for a library that must be told.

    MPI's if its world is as large as was asked for, else the launcher's.

    Raises:
        NoAgreedRanksError: neither of them knows as many ranks as the plan asks for.
    """
    if job.mpi.get("size") == job.plan.ranks:
        return job.mpi["rank"], job.plan.ranks
    if job.placement.rank is not None and job.placement.size in (None, job.plan.ranks):
        return job.placement.rank, job.plan.ranks
    raise NoAgreedRanksError(
        "the plan asks for %d ranks, MPI has %s, the launcher says %s"
        % (job.plan.ranks, job.mpi.get("size", "not run"), job.placement.size)
    )
