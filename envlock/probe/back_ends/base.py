"""What every communication library offers to the checks."""

from abc import ABC, abstractmethod
from typing import Any, Dict, List, Optional, Tuple

from ..placement import Placement
from ..plan import Plan


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
    """

    def __init__(self, rank: int, size: int, local_rank: Optional[int], facts: Dict[str, Any]) -> None:
        self.rank = rank
        self.size = size
        self.local_rank = local_rank
        self.facts = facts


class BackEnd(ABC):
    """A communication library.

    A tensor is whatever the library reduces; it can be indexed, and two of one type and length compared.

    Attributes:
        name: its name in the plan.
        modes: ways of calling: ``out of place``, ``in place``, ``fused`` (several tensors at once).
    """

    name = ""
    modes: Tuple[str, ...] = ("out of place",)

    @abstractmethod
    def load(self) -> None:
        """Import the library."""

    @abstractmethod
    def open(self, job: Job) -> World:
        """Initialise it; collective over all ranks."""

    @abstractmethod
    def tensor(self, dtype: str, period: List[int], count: int) -> Any:
        """A tensor of ``count`` elements that repeats the values of ``period``."""

    @abstractmethod
    def allreduce(self, tensors: List[Any], mode: str, label: str) -> List[Any]:
        """The sums over all ranks, in order; ``label`` is the same on all ranks and new for each call."""

    @abstractmethod
    def differences(self, got: Any, wanted: Any) -> List[int]:
        """Indices at which two tensors of one type and length differ."""

    @abstractmethod
    def close(self) -> None:
        """Shut it down; collective over all ranks."""
