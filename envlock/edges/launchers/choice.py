"""Choose the launcher that starts the ranks: the one named, or else by scheduler and MPI."""

from __future__ import annotations

import shutil
from collections.abc import Callable

from envlock.edges.launchers import LAUNCHERS
from envlock.model.errors import RequestError
from envlock.model.project.launch import OF_ANY_MPI, RankJob

_SPECTRUM = "spectrum_mpi"
"""IBM's, made from Open MPI and with its mpirun, which jsrun replaces where there is CSM."""
_HYDRA = frozenset({"mpich", "intelmpi", "mvapich2"})

_NATIVE = {"slurm": "srun", "flux": "flux", "csm": "jsrun", "cobalt": "aprun", "pbs": "pals"}
_OF_PALS = ("palstat", "palsig")
"""Commands of HPE's PALS. Most clusters under PBS have none of it, and their ``mpiexec`` is any MPI's."""


def _has_pals() -> bool:
    return any(shutil.which(name) for name in _OF_PALS)


def by_mpi(wanted: str, said: str) -> bool:
    """Whether neither caller nor site names a launcher, so that MPI and scheduler decide."""
    return wanted not in LAUNCHERS and ((wanted or said) in OF_ANY_MPI or not (wanted or said))


def choose(
    wanted: str, said: str, job: RankJob, scheduler: str, *, has_pals: Callable[[], bool] = _has_pals
) -> str:
    """Return the launcher's name.

    Args:
        wanted: the launcher that the caller named, empty for none; it is taken literally.
        said: the word of the site or the target, empty for none; ``mpirun`` there means the MPI's own.
        job: what to start.
        scheduler: the scheduler whose allocation this process runs in; empty for none.
        has_pals: returns whether HPE's PALS is there, which only some of PBS's clusters have.

    Raises:
        RequestError: ``unknown-launcher``, ``no-allocation`` or, for an MPI without a launcher of its own,
            ``no-launcher``.
    """
    name = _of_mpi(job, scheduler, has_pals) if by_mpi(wanted, said) else wanted or said
    if name not in LAUNCHERS:
        raise RequestError(
            "unknown-launcher",
            f"there is no launcher {name!r}",
            hint=f"launchers: {', '.join(sorted(LAUNCHERS))}",
        )
    if name in ("mpirun", "hydra") and job.nodes > 1 and not job.hosts and not scheduler:
        raise RequestError(
            "no-allocation",
            f"{job.nodes} nodes are asked for, but neither you nor a scheduler named them",
            hint="name them with --hosts, or let a scheduler give them with --submit, or run inside salloc",
        )
    return name


def _of_mpi(job: RankJob, scheduler: str, has_pals: Callable[[], bool]) -> str:
    native = _NATIVE.get(scheduler, "")
    if job.mpi == "openmpi" or (job.mpi == _SPECTRUM and native != "jsrun"):
        return "flux" if native == "flux" else "mpirun"
    if job.mpi in _HYDRA:
        return "flux" if native == "flux" else "hydra"
    if job.mpi:
        if native:
            return native
        raise RequestError(
            "no-launcher",
            f"{job.mpi} is started by the scheduler's own launcher, and this is no allocation",
            hint="--launcher NAME, or --submit, or run inside an allocation",
        )
    if job.horovod:
        return "horovodrun"
    if job.spread:
        if native == "pals" and not has_pals():
            native = ""
        if not (native or job.hosts) and scheduler:
            raise RequestError(
                "no-launcher",
                f"envlock knows nothing that starts ranks in a job under {scheduler} without an MPI",
                hint="name the nodes with --hosts, for ssh, or --launcher NAME",
            )
        return native or ("ssh" if job.hosts else "srun")
    return "local"
