"""MPI through mpi4py, with plain arrays of the standard library, so that NumPy is not needed."""

import copy
import functools
import importlib
import threading
from array import array
from typing import Any, Callable, List, Optional, Tuple

from .. import sabotage
from ..errors import described
from .arrays import CODES, Regression, difference
from .base import BackEnd, Job, NotApplicableError, Own, Trainer, World, cut

_STORM = 1000
_CALLS_OF_A_THREAD = 50


class Mpi4py(BackEnd):
    """The library mpi4py, which initialises MPI with MPI_THREAD_MULTIPLE on import, as Horovod needs it."""

    name = "mpi4py"
    modes = ("out of place", "in place")
    collectives = ("broadcast", "allgather", "alltoall", "iallreduce")

    def load(self) -> None:
        """Import the library, which initialises MPI."""
        self._mpi: Any = importlib.import_module("mpi4py.MPI")

    def open(self, job: Job) -> World:
        """Take MPI's world."""
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

    def place(self) -> Tuple[int, int]:
        """Return rank and size."""
        return self._world.Get_rank(), self._world.Get_size()

    def tensor(self, dtype: str, period: List[int], count: int) -> Any:
        """Return an array of the standard library."""
        return (array(CODES[dtype], period) * (count // len(period) + 1))[:count]

    def shifted(self, tensor: Any) -> Any:
        """Return a view, since slices of arrays are copies."""
        return memoryview(tensor)[1:]

    def allreduce(self, tensors: List[Any], mode: str, _label: str) -> List[Any]:
        """Call MPI_Allreduce, one tensor at a time."""
        sums = []
        for tensor in tensors:
            if mode == "in place":
                self._world.Allreduce(self._mpi.IN_PLACE, tensor, op=self._mpi.SUM)
                sums.append(tensor)
            else:
                total = _empty(tensor, len(tensor))
                self._world.Allreduce(tensor, total, op=self._mpi.SUM)
                sums.append(total)
        return sums

    def difference(self, got: Any, wanted: Any) -> Optional[Tuple[int, int]]:
        """Compare arrays."""
        return difference(got, wanted)

    def reduction(self, size: int, mode: str) -> Callable[[], Any]:
        """Return MPI_Allreduce out of place, or MPI_Iallreduce for several in flight."""
        pieces, count = cut(size, mode)
        pairs = [
            [[self.tensor("float32", [0], count), count, self._mpi.FLOAT] for _ in range(2)]
            for _ in range(pieces)
        ]
        if mode == "single":
            return functools.partial(self._world.Allreduce, pairs[0][0], pairs[0][1], self._mpi.SUM)

        def unfused() -> None:
            for mine, total in pairs:
                self._world.Allreduce(mine, total, self._mpi.SUM)

        def fused() -> None:
            requests = [self._world.Iallreduce(mine, total, self._mpi.SUM) for mine, total in pairs]
            self._mpi.Request.Waitall(requests)

        return fused if mode == "fused" else unfused

    def barrier(self) -> None:
        """Call MPI_Barrier."""
        self._world.Barrier()

    def call(self, collective: str, tensor: Any, _label: str) -> Any:
        """Call MPI_Bcast, MPI_Allgather, MPI_Alltoall or MPI_Iallreduce."""
        world = self._world
        if collective == "broadcast":
            world.Bcast(tensor, root=0)
            return tensor
        if collective == "allgather":
            total = _empty(tensor, len(tensor) * world.Get_size())
            world.Allgather(tensor, total)
            return total
        total = _empty(tensor, len(tensor))
        if collective == "alltoall":
            world.Alltoall(tensor, total)
        else:
            world.Iallreduce(tensor, total, op=self._mpi.SUM).Wait()
        return total

    def own_checks(self) -> Own:
        """Return a storm of barriers, sums in two threads at once, and communicators made and freed."""
        return [
            ("C1", "barrier storm", self._storm),
            ("C3", "MPI from two threads", self._two_threads),
            ("C15", "communicators again", self._communicators),
        ]

    def _storm(self, _world: World) -> str:
        for _ in range(_STORM):
            self._world.Barrier()
        return "%d barriers" % _STORM

    def _two_threads(self, world: World) -> str:
        """Give each thread a communicator of its own, since ranks must agree on the order of calls on one."""
        mpi = self._mpi
        if mpi.Query_thread() < mpi.THREAD_MULTIPLE:
            raise NotApplicableError("MPI gives thread level %d, less than multiple" % mpi.Query_thread())
        total = world.size * (world.size + 1) // 2
        wrong: List[str] = []

        def reduce(communicator: Any, factor: int) -> None:
            try:
                for _ in range(_CALLS_OF_A_THREAD):
                    got = array("q", [0])
                    communicator.Allreduce(array("q", [factor * (world.rank + 1)]), got, op=mpi.SUM)
                    if got[0] != factor * total:
                        wrong.append("expected %d, got %d" % (factor * total, got[0]))
            except Exception as error:
                wrong.append(described(error))

        communicators = [self._world.Dup() for _ in range(2)]
        other = threading.Thread(target=reduce, args=(communicators[1], 1000))
        other.start()
        reduce(communicators[0], 1)
        other.join()
        for communicator in communicators:
            communicator.Free()
        if wrong:
            raise AssertionError(wrong[0])
        return "%d sums exact from each of two threads at once" % _CALLS_OF_A_THREAD

    def _communicators(self, world: World) -> str:
        for _ in range(3):
            copied = self._world.Dup()
            got = array("q", [0])
            copied.Allreduce(array("q", [world.rank]), got, op=self._mpi.SUM)
            copied.Free()
            if got[0] != sum(range(world.size)):
                raise AssertionError("expected %d, got %d" % (sum(range(world.size)), got[0]))
        return "made, used and freed 3 times"

    def part(self, world: World, groups: List[List[int]]) -> Optional[BackEnd]:
        """Call MPI_Comm_split."""
        colour = next((number for number, group in enumerate(groups) if world.rank in group), None)
        found = self._world.Split(self._mpi.UNDEFINED if colour is None else colour, world.rank)
        if colour is None:
            return None
        smaller = copy.copy(self)
        smaller._world = found  # noqa: SLF001 - another object of this class
        return smaller

    def exchange(self, peer: int, mine: Any, theirs: Any) -> None:
        """Call MPI_Sendrecv."""
        self._world.Sendrecv(mine, peer, 0, theirs, peer, 0)

    def again(self, _job: Job) -> None:
        """Refuse: MPI is initialised only once in a process."""
        raise NotApplicableError("MPI can be initialised only once in a process")

    def trainer(self, world: World, mixed: bool) -> Trainer:
        """Return a regression in plain Python, whose numbers have only one precision."""
        if mixed:
            raise NotApplicableError("no framework whose precision could be mixed")
        return Regression(self, world)

    def close(self) -> None:
        """Finalise MPI here, where a hang is noticed, and not at interpreter shutdown."""
        if not self._mpi.Is_finalized():
            self._world.Barrier()
            self._mpi.Finalize()


def _empty(like: Any, count: int) -> Any:
    code = like.typecode if isinstance(like, array) else like.format
    return array(code, bytes(like.itemsize * count))
