"""The interface that every communication library offers to the checks."""

from abc import ABC, abstractmethod
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from ..placement import Placement
from ..plan import Plan

_PIECES = 8
"""How many tensors a message is cut into to see what fusing them gains."""


def cut(size: int, mode: str) -> Tuple[int, int]:
    """Return into how many tensors of float32 a message is cut in a mode, and how many numbers each has."""
    pieces = 1 if mode == "single" else _PIECES
    return pieces, size // 4 // pieces


class NotApplicableError(Exception):
    """There is nothing to check here; the message says why."""


class Job(NamedTuple):
    """The job for which a back end is opened.

    Attributes:
        plan: the plan.
        folder: a directory that all ranks see, empty at the start of the run.
        placement: rank and size according to the launcher.
        mpi: rank and size according to MPI, once a back end has initialised it; empty before.
    """

    plan: Plan
    folder: str
    placement: Placement
    mpi: Dict[str, Any]


class World:
    """The ranks as one back end sees them.

    Attributes:
        rank: this rank's number.
        size: the number of ranks.
        local_rank: the local rank; ``None`` where the back end does not give it.
        facts: versions and features to record.
        members: the numbers of all ranks that communicate here, of the whole world or of a part of it.
    """

    def __init__(
        self,
        rank: int,
        size: int,
        local_rank: Optional[int],
        facts: Dict[str, Any],
        members: Optional[List[int]] = None,
    ) -> None:
        self.rank = rank
        self.size = size
        self.local_rank = local_rank
        self.facts = facts
        self.members = list(range(size)) if members is None else members


Own = List[Tuple[str, str, Callable[[World], str]]]
"""Checks that only one library has: id, name, and a call that returns the message or raises."""


class BackEnd(ABC):
    """A communication library.

    A tensor is whatever the library reduces; it can be indexed, and two of one type and length compared.

    Attributes:
        name: its name in the plan.
        modes: ways of calling: ``out of place``, ``in place``, ``fused`` (several tensors at once).
        dtypes: the element types that it reduces.
        collectives: which of ``broadcast``, ``allgather``, ``alltoall``, ``iallreduce`` it offers as well;
            known once it is open.
        each_alone: whether its benchmarks time each call separately, between barriers, rather than many in a
            row.
    """

    name = ""
    modes: Tuple[str, ...] = ("out of place",)
    dtypes: Tuple[str, ...] = ("int32", "int64", "float32", "float64")
    collectives: Tuple[str, ...] = ()
    each_alone = False
    _waiting: Optional[Callable[[], Any]] = None

    @abstractmethod
    def load(self) -> None:
        """Import the library.

        Raises:
            NotApplicableError: it cannot be used here by its nature, such as a GPU library without a GPU.
        """

    @abstractmethod
    def open(self, job: Job) -> World:
        """Initialise the library; collective over all ranks."""

    @abstractmethod
    def tensor(self, dtype: str, period: List[int], count: int) -> Any:
        """Return a tensor of ``count`` elements that repeats the values of ``period``."""

    def shifted(self, tensor: Any) -> Any:
        """Return the tensor without its first element, in the same memory."""
        return tensor[1:]

    @abstractmethod
    def allreduce(self, tensors: List[Any], mode: str, label: str) -> List[Any]:
        """Return the sums over all ranks, in order; ``label`` is equal on all ranks and new for each call."""

    @abstractmethod
    def difference(self, got: Any, wanted: Any) -> Optional[Tuple[int, int]]:
        """The first index at which two tensors of one type and length differ, and how many indices do."""

    @abstractmethod
    def reduction(self, size: int, mode: str) -> Callable[[], Any]:
        """Return a call to time: the sum of this many bytes of float32 zeros.

        Args:
            size: bytes.
            mode: ``single`` (one tensor), ``fused`` (eight tensors in flight together) or ``unfused`` (as
                many, one after another).
        """

    def barrier(self) -> None:
        """Wait for all ranks, by the smallest reduction if the library has nothing cheaper."""
        if self._waiting is None:
            self._waiting = self.reduction(8, "single")
        self._waiting()

    def spare(self) -> Optional[int]:
        """Return the free bytes on the GPU that holds the tensors; ``None`` if the host's memory does."""
        return None

    def settle(self) -> None:
        """Wait until everything started has finished; does nothing where calls wait themselves."""
        return

    @abstractmethod
    def call(self, collective: str, tensor: Any, label: str) -> Any:
        """Call one of ``collectives``.

        ``broadcast`` is from rank 0; ``allgather`` returns all ranks' tensors in one; ``alltoall`` sends each
        rank its equal share; ``iallreduce`` sums without blocking.
        """

    def complaints(self) -> str:
        """Return the problems that the library itself logged, besides its exceptions; empty for none."""
        return ""

    def own_checks(self) -> Own:
        """Return the checks that only this library has."""
        return []

    def part(self, _world: World, _groups: List[List[int]]) -> Optional["BackEnd"]:
        """Return the library over the group that contains this rank; ``None`` if none does.

        Collective over all ranks.

        Raises:
            NotApplicableError: it does not support groups.
        """
        raise NotApplicableError("%s has no groups of ranks" % self.name)

    def on_gpus(self, _world: World) -> "BackEnd":
        """Return the library with its tensors on GPUs, if it supports them on either; collective.

        Raises:
            NotApplicableError: it does not, was built without GPU support, or there are no GPUs for it.
        """
        raise NotApplicableError("%s has its tensors in one place" % self.name)

    def exchange(self, _peer: int, _mine: Any, _theirs: Any) -> None:
        """Send a tensor to a peer and simultaneously receive one from it.

        Raises:
            NotApplicableError: it has no messages between two ranks.
        """
        raise NotApplicableError("%s has no messages between two ranks" % self.name)

    def again(self, job: Job) -> None:
        """Shut down and initialise again; collective.

        Raises:
            NotApplicableError: the library may be initialised only once.
        """
        self.close()
        self.open(job)

    def trainer(self, _world: World, _mixed: bool) -> "Trainer":
        """Return a tiny model whose replicas must stay equal, perhaps trained in mixed precision.

        Raises:
            NotApplicableError: nothing here can train, or not in mixed precision.
        """
        raise NotApplicableError("no way to train over %s is known" % self.name)

    @abstractmethod
    def close(self) -> None:
        """Shut the library down; collective over all ranks."""


LOSS_SCALE = 1024.0
"""The factor on the loss in mixed precision, by which the learning rate is divided."""


class Trainer(ABC):
    """Data-parallel training of a tiny model: each rank has its own data, gradients are averaged.

    Attributes:
        gradient_bytes: the size of all gradients together.
    """

    gradient_bytes = 0

    @abstractmethod
    def step(self) -> Optional[float]:
        """Do one step; return seconds of this rank's own computing, ``None`` if it cannot be separated."""

    @abstractmethod
    def parameters(self) -> bytes:
        """Return every parameter's bytes, in order."""

    @abstractmethod
    def go_astray(self) -> None:
        """Change one parameter, as nothing ever should."""
