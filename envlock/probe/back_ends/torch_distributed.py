"""PyTorch's own process groups, each over another library: Gloo, NCCL or MPI."""

import copy
import datetime as dt
import importlib
import os
from typing import Any, Callable, List, Optional, Tuple

from ..meetings import meeting_place
from ..plan import release
from ..sabotage import alone
from .base import BackEnd, Job, NotApplicableError, Trainer, World, cut
from .torch_tensors import TorchTensors
from .torch_training import TorchTrainer

_HALF_ON_CPU = (1, 2)
"""The release since which processors copy and gather float16."""


class NoAgreedRanksError(Exception):
    """Neither MPI nor the launcher gives the world size that was requested."""


class TorchDistributed(TorchTensors, BackEnd):
    """torch.distributed with one of its back ends.

    The first to be opened makes the default group, which is over Gloo and whose ranks meet through a file in
    the shared folder (``meetings.py``); the others are additional groups, as in programs that mix back ends.
    """

    modes = ("in place",)
    dtypes: Tuple[str, ...] = ("int32", "int64", "float16", "float32", "float64")
    collectives: Tuple[str, ...] = ("broadcast", "allgather", "iallreduce")
    library = "gloo"
    _group: Any = None
    _meetings = 0

    def load(self) -> None:
        """Import the library."""
        self._torch: Any = importlib.import_module("torch")
        self._dist: Any = importlib.import_module("torch.distributed")
        if not self._dist.is_available():
            raise NotApplicableError("this PyTorch was built without torch.distributed")
        if self.library == "gloo" and release(self._torch.__version__) < _HALF_ON_CPU:
            self.dtypes = tuple(dtype for dtype in self.dtypes if dtype != "float16")

    def open(self, job: Job) -> World:
        """Meet the other ranks and make the group.

        Raises:
            NotApplicableError: the devices that the ranks reported are not for this library.
        """
        begun = not self._dist.is_initialized()
        if begun:
            self._meet(job)
        try:
            self._take_device()
        except NotApplicableError:
            if begun:
                self._dist.destroy_process_group()
            raise
        if self.library != "gloo" or not begun:
            self._group = self._new_group()
        self._owner = begun
        facts = {"torch": self._torch.__version__, "interface": os.environ.get("GLOO_SOCKET_IFNAME", "")}
        return World(self._dist.get_rank(), self._dist.get_world_size(), None, facts)

    def _meet(self, job: Job) -> None:
        rank, size = agreed_place(job)
        meeting = os.path.abspath(os.path.join(job.folder, "gloo-meeting-%d" % TorchDistributed._meetings))
        TorchDistributed._meetings += 1
        if alone(job.plan.sabotage):
            rank, size, meeting = 0, 1, "%s-%d" % (meeting, os.getpid())
        self._dist.init_process_group(
            "gloo",
            init_method=meeting_place(meeting, rank, job.plan.deadlines["phase"]),
            rank=rank,
            world_size=size,
            timeout=dt.timedelta(seconds=job.plan.deadlines["phase"]),
        )

    def _take_device(self) -> None:
        """Choose the device of tensors, by default the CPU; collective over the default group."""

    def _in_group(self) -> Any:
        return {} if self._group is None else {"group": self._group}

    def allreduce(self, tensors: List[Any], _mode: str, _label: str) -> List[Any]:
        """Call all_reduce, which works in place."""
        for tensor in tensors:
            self._dist.all_reduce(tensor, **self._in_group())
        self._settle()
        return tensors

    def reduction(self, size: int, mode: str) -> Callable[[], Any]:
        """Return all_reduce in place, with handles for several in flight."""
        pieces, count = cut(size, mode)
        tensors = [self.tensor("float32", [0], count) for _ in range(pieces)]
        reduce, group = self._dist.all_reduce, self._in_group()

        def one_by_one() -> None:
            for tensor in tensors:
                reduce(tensor, **group)
            self._settle()

        def together() -> None:
            for handle in [reduce(tensor, async_op=True, **group) for tensor in tensors]:
                handle.wait()
            self._settle()

        return together if mode == "fused" else one_by_one

    def _settle(self) -> None:
        """Wait for the device; a CPU needs no waiting."""

    def barrier(self) -> None:
        """Wait at the group's barrier."""
        self._dist.barrier(**self._in_group())

    def call(self, collective: str, tensor: Any, _label: str) -> Any:
        """Call broadcast, all_gather, or all_reduce with a handle."""
        group = self._in_group()
        if collective == "broadcast":
            self._dist.broadcast(tensor, 0, **group)
        elif collective == "allgather":
            parts = [tensor.clone() for _ in range(self._dist.get_world_size(**group))]
            self._dist.all_gather(parts, tensor, **group)
            tensor = self._torch.cat(parts)
        else:
            self._dist.all_reduce(tensor, async_op=True, **group).wait()
        self._settle()
        return tensor

    def part(self, world: World, groups: List[List[int]]) -> Optional[BackEnd]:
        """Make the groups on all ranks, in the same order."""
        found = None
        for ranks in groups:
            group = self._new_group(ranks)
            if world.rank in ranks:
                found = copy.copy(self)
                found._group = group  # noqa: SLF001 - it is another of the same
        return found

    def _new_group(self, ranks: Optional[List[int]] = None) -> Any:
        """Make a group over this library; before PyTorch 1.1 all are over that of the default group."""
        try:
            return self._dist.new_group(ranks, backend=self.library)
        except TypeError:
            return self._dist.new_group(ranks)

    def exchange(self, peer: int, mine: Any, theirs: Any) -> None:
        """Send with isend and receive with recv."""
        group = self._in_group()
        sent = self._dist.isend(mine, peer, **group)
        self._dist.recv(theirs, peer, **group)
        sent.wait()

    def trainer(self, world: World, mixed: bool) -> Trainer:
        """Return a model whose gradients are summed over this library."""

        def average(gradients: List[Any]) -> None:
            for gradient in self.allreduce(gradients, "in place", "gradients"):
                gradient.div_(world.size)

        return TorchTrainer(self._torch, world, self._device, average, self._from_first, self._settle, mixed)

    def _from_first(self, model: Any) -> None:
        for parameter in model.parameters():
            self._dist.broadcast(parameter.data, 0, **self._in_group())

    def close(self) -> None:
        """Leave the process group; the default group, on which all others rest, goes last."""
        self.barrier()
        if self._owner:
            self._dist.destroy_process_group()
        elif self._group is not None:
            self._dist.destroy_process_group(self._group)
        self._group = None


def agreed_place(job: Job) -> Tuple[int, int]:
    """Return rank and size for a library that has to be given them.

    They are MPI's if its world is as large as requested, otherwise the launcher's.

    Raises:
        NoAgreedRanksError: neither of them has as many ranks as the plan requests.
    """
    if job.mpi.get("size") == job.plan.ranks:
        return job.mpi["rank"], job.plan.ranks
    if job.placement.rank is not None and job.placement.size in (None, job.plan.ranks):
        return job.placement.rank, job.plan.ranks
    raise NoAgreedRanksError(
        "the plan asks for %d ranks, MPI has %s, the launcher says %s"
        % (job.plan.ranks, job.mpi.get("size", "not run"), job.placement.size)
    )
