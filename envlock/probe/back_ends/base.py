"""What every communication library offers to the checks."""

from abc import ABC, abstractmethod
from typing import Any, Callable, Dict, List, Optional, Tuple

from ..placement import Placement
from ..plan import Plan

PIECES = 8
"""Tensors into which a message is cut to see what fusing them is worth."""


class NotApplicableError(Exception):
    """There is nothing to check here; the text says why."""


class Job:
    """What a back end is opened with.

    Attributes:
        plan: the plan.
        folder: a directory that all ranks see, empty at the start of the run.
        placement: the launcher's word on rank and size.
        mpi: rank and size by MPI, once a back end has initialised it; empty before.
    """

    def __init__(self, plan: Plan, folder: str, placement: Placement, mpi: Dict[str, Any]) -> None:
        self.plan = plan
        self.folder = folder
        self.placement = placement
        self.mpi = mpi


class World:
    """The ranks as one back end sees them.

    Attributes:
        rank: this one's number.
        size: how many there are.
        local_rank: the number on this host; none where the back end does not tell.
        facts: versions and features worth recording.
        members: the numbers of all ranks that communicate here; those of the whole world, or of a part of it.
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
"""Checks that only one library has: id, name, and a call that gives the message or raises."""


class BackEnd(ABC):
    """A communication library.

    A tensor is whatever the library reduces; it can be indexed, and two of one type and length compared.

    Attributes:
        name: its name in the plan.
        modes: ways of calling: ``out of place``, ``in place``, ``fused`` (several tensors at once).
        dtypes: element types that it reduces.
        collectives: what else it offers of ``broadcast``, ``allgather``, ``alltoall``, ``iallreduce``; known
            once it is open.
        each_alone: whether its benchmarks time each call by itself, between barriers, and not many in a row.
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
            NotApplicableError: it cannot be used here by its nature, as a GPU's where there is none.
        """

    @abstractmethod
    def open(self, job: Job) -> World:
        """Initialise it; collective over all ranks."""

    @abstractmethod
    def tensor(self, dtype: str, period: List[int], count: int) -> Any:
        """A tensor of ``count`` elements that repeats the values of ``period``."""

    def shifted(self, tensor: Any) -> Any:
        """The tensor without its first element, in the same memory."""
        return tensor[1:]

    @abstractmethod
    def allreduce(self, tensors: List[Any], mode: str, label: str) -> List[Any]:
        """The sums over all ranks, in order; ``label`` is the same on all ranks and new for each call."""

    @abstractmethod
    def difference(self, got: Any, wanted: Any) -> Optional[Tuple[int, int]]:
        """The first index at which two tensors of one type and length differ, and at how many they do."""

    @abstractmethod
    def reduction(self, size: int, mode: str) -> Callable[[], Any]:
        """A call to be timed: the sum of float32 zeros of so many bytes.

        Args:
            size: bytes.
            mode: ``single`` (one tensor), ``fused`` (PIECES tensors in flight together) or ``unfused`` (as
                many one after the other).
        """

    def barrier(self) -> None:
        """Wait for all ranks; the smallest reduction where the library has nothing cheaper."""
        if self._waiting is None:
            self._waiting = self.reduction(8, "single")
        self._waiting()

    def spare(self) -> Optional[int]:
        """Bytes that are free on the GPU where tensors lie; none where they lie in the host's memory."""
        return None

    def settle(self) -> None:
        """Wait until what was started has ended; nothing where calls wait themselves."""
        return

    @abstractmethod
    def call(self, collective: str, tensor: Any, label: str) -> Any:
        """One of ``collectives``.

        ``broadcast`` from rank 0; ``allgather`` gives all ranks' tensors in one; ``alltoall`` sends each rank
        its equal share; ``iallreduce`` sums without blocking.
        """

    def complaints(self) -> str:
        """What the library itself wrote of its troubles, beside what it raised; empty for nothing."""
        return ""

    def own_checks(self) -> Own:
        """Checks that only this library has."""
        return []

    def part(self, _world: World, _groups: List[List[int]]) -> Optional["BackEnd"]:
        """The same library over the one of these groups that holds this rank; none if none does.

        Collective over all ranks.

        Raises:
            NotApplicableError: it knows no groups.
        """
        raise NotApplicableError("%s has no groups of ranks" % self.name)

    def on_gpus(self, _world: World) -> "BackEnd":
        """The same library with tensors on GPUs, where it is one that can have them on either; collective.

        Raises:
            NotApplicableError: it is not such a library, was built without, or there are no GPUs for it.
        """
        raise NotApplicableError("%s has its tensors in one place" % self.name)

    def exchange(self, _peer: int, _mine: Any, _theirs: Any) -> None:
        """Send a tensor to a peer and receive one from it at the same time.

        Raises:
            NotApplicableError: it has no messages between two ranks.
        """
        raise NotApplicableError("%s has no messages between two ranks" % self.name)

    def again(self, job: Job) -> None:
        """Shut down and initialise once more; collective.

        Raises:
            NotApplicableError: the library may be initialised only once.
        """
        self.close()
        self.open(job)

    def trainer(self, _world: World, _mixed: bool) -> "Trainer":
        """A tiny model whose replicas are to stay equal, perhaps trained in mixed precision.

        Raises:
            NotApplicableError: nothing here can train, or not so.
        """
        raise NotApplicableError("no way to train over %s is known" % self.name)

    @abstractmethod
    def close(self) -> None:
        """Shut it down; collective over all ranks."""


LOSS_SCALE = 1024.0
"""What a loss is multiplied by in mixed precision, and the learning rate divided by."""


class Trainer(ABC):
    """Data-parallel training of a tiny model: each rank has data of its own, gradients are averaged.

    Attributes:
        gradient_bytes: size of all gradients together.
    """

    gradient_bytes = 0

    @abstractmethod
    def step(self) -> Optional[float]:
        """One step; seconds of this rank's own computing, none where they cannot be told apart."""

    @abstractmethod
    def parameters(self) -> bytes:
        """Every parameter's bytes, in order."""

    @abstractmethod
    def go_astray(self) -> None:
        """Change one parameter, as nothing should."""
