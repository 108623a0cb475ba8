"""A process's place among its ranks, as its launcher gives it through the environment.

Order of trust: MPI itself once it runs (the caller's business), then variables private to one launcher, then
PMI and PMIx, which several launchers set, then Slurm's, which a batch shell has as well, then the generic
ones. What was set before the launcher was called, as in the shell of ``srun --pty`` or of another ``mpirun``,
tells of that process, and is trusted only where there is nothing else.
"""

import socket
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from .kernel_files import kernel_text

Names = Tuple[str, ...]

Source = NamedTuple(
    "Source", [("name", str), ("rank", Names), ("size", Names), ("local_rank", Names), ("needs", str)]
)

_PMI_LOCAL = ("MPI_LOCALRANKID", "PMI_LOCAL_RANK", "SLURM_LOCALID")

SOURCES: Tuple[Source, ...] = (
    Source("torchrun", ("RANK",), ("WORLD_SIZE",), ("LOCAL_RANK",), "TORCHELASTIC_RUN_ID"),
    Source("jsrun", ("JSM_NAMESPACE_RANK",), ("JSM_NAMESPACE_SIZE",), ("JSM_NAMESPACE_LOCAL_RANK",), ""),
    Source(
        "openmpi", ("OMPI_COMM_WORLD_RANK",), ("OMPI_COMM_WORLD_SIZE",), ("OMPI_COMM_WORLD_LOCAL_RANK",), ""
    ),
    Source(
        "mvapich2", ("MV2_COMM_WORLD_RANK",), ("MV2_COMM_WORLD_SIZE",), ("MV2_COMM_WORLD_LOCAL_RANK",), ""
    ),
    Source("pals", ("PALS_RANKID",), ("PMI_SIZE",), ("PALS_LOCAL_RANKID",), ""),
    Source("alps", ("ALPS_APP_PE",), (), (), ""),
    Source("flux", ("FLUX_TASK_RANK",), ("FLUX_JOB_SIZE",), ("FLUX_TASK_LOCAL_ID",), ""),
    Source("horovodrun", ("HOROVOD_RANK",), ("HOROVOD_SIZE",), ("HOROVOD_LOCAL_RANK",), ""),
    Source("pmi", ("PMI_RANK",), ("PMI_SIZE",), _PMI_LOCAL, ""),
    Source("pmix", ("PMIX_RANK",), ("SLURM_STEP_NUM_TASKS",), ("SLURM_LOCALID",), ""),
    Source("slurm", ("SLURM_PROCID",), ("SLURM_STEP_NUM_TASKS",), ("SLURM_LOCALID",), "SLURM_STEP_ID"),
    Source("generic", ("RANK",), ("WORLD_SIZE",), ("LOCAL_RANK",), ""),
)
"""Launchers in order of trust; the variables for rank, size and local rank, and one that must be set.

A batch shell of Slurm also has SLURM_PROCID=0 and SLURM_LOCALID=0; only a step has SLURM_STEP_ID. Slurm's PMI
and PMIx give no local rank, but Slurm does. On Cray EX, PALS, srun and Flux give size and local rank by PMI's
names, too (Slurm's plugin mpi/cray_shasta, flux-coral2's cray_pals).
"""


OWN_PREFIXES = (
    *("OMPI_", "ORTE_", "OPAL_", "PRTE_", "PMIX_", "PMI_", "PMI2_", "HYD", "I_MPI_", "MPI_LOCAL", "MV2_"),
    *("SLURM", "SRUN_", "PALS_", "ALPS_", "JSM_", "FLUX_", "HOROVOD_", "TORCHELASTIC_", "MASTER_"),
    *("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_", "ROLE_"),
)
"""The prefixes of variables through which launchers talk to the processes that they start."""


class Placement(NamedTuple):
    """A process's place.

    Attributes:
        source: the launcher whose variables were trusted; empty if none were seen.
        rank: the rank; ``None`` if unknown.
        size: the world size; ``None`` where the launcher does not give it.
        local_rank: the local rank; ``None`` where the launcher does not give it.
        seen: every launcher variable that is set.
    """

    source: str
    rank: Optional[int]
    size: Optional[int]
    local_rank: Optional[int]
    seen: Dict[str, str]

    def document(self) -> Dict[str, Any]:
        """Return the placement as results show it."""
        return {
            "source": self.source,
            "rank": self.rank,
            "size": self.size,
            "local_rank": self.local_rank,
            "variables": self.seen,
        }


def place(environ: Dict[str, str], inherited: Dict[str, str]) -> Placement:
    """Return the place according to the environment; the first source with a rank is trusted.

    Args:
        environ: the variables.
        inherited: those, with their values, that were set where the launcher was called. A source of which
            nothing has changed since then comes after all others.
    """
    seen = {name: environ[name] for name in launcher_variables() if name in environ}
    telling = [
        source
        for source in SOURCES
        if _number(environ, source.rank) is not None and (not source.needs or environ.get(source.needs))
    ]
    telling.sort(key=lambda source: _unchanged(source, environ, inherited))
    for source in telling:
        rank, size = _number(environ, source.rank), _number(environ, source.size)
        return Placement(source.name, rank, size, _number(environ, source.local_rank), seen)
    return Placement("", None, None, None, seen)


def _unchanged(source: Source, environ: Dict[str, str], inherited: Dict[str, str]) -> bool:
    """Whether a source's variables are as they were, apart from those that are another's, such as Slurm's."""
    others = tuple(_prefix(other) for other in SOURCES if _prefix(other) != _prefix(source))
    names = [name for name in source.rank + source.size + source.local_rank if not name.startswith(others)]
    return all(inherited.get(name) == environ[name] for name in names if name in environ)


def _prefix(source: Source) -> str:
    return source.rank[0].split("_")[0] + "_"


def told_by_all(environ: Dict[str, str]) -> Dict[str, int]:
    """Return source -> the rank in its variables, for all that give one, trusted or not.

    What several sources call alike (``RANK``) is that of one whose own variable is set, or else of the last.
    """
    told = {}
    for number, source in enumerate(SOURCES):
        rank = _number(environ, source.rank)
        shared = any(other.rank == source.rank for other in SOURCES[number + 1 :])
        if rank is not None and not (shared and not environ.get(source.needs)):
            told[source.name] = rank
    return told


def launcher_variables() -> List[str]:
    """Return every variable that gives a place."""
    told = [name for source in SOURCES for names in source[1:4] for name in names]
    return told + [source.needs for source in SOURCES if source.needs]


def without_launcher(environ: Dict[str, str], before: List[str]) -> Dict[str, str]:
    """Return an environment without a launcher's variables, as if the program were started by hand.

    An MPI initialised there would otherwise look for other ranks.

    Args:
        environ: the variables.
        before: names of the variables set where the launcher was called, which stay.
    """
    known = set(before)
    return {
        name: value for name, value in environ.items() if name in known or not name.startswith(OWN_PREFIXES)
    }


def host_name() -> str:
    """Return this host's name, as heartbeats show it."""
    return socket.gethostname()


def machine() -> str:
    """Identify the machine by its boot (random(4)), whatever a container calls its host."""
    return kernel_text("/proc/sys/kernel/random/boot_id").strip() or host_name()


def _number(environ: Dict[str, str], names: Names) -> Optional[int]:
    for name in names:
        if environ.get(name, "").isdecimal():
            return int(environ[name])
    return None
