"""Slurm's srun, which starts ranks by itself, as a tree, if it shares a PMI with the MPI."""

from __future__ import annotations

from collections.abc import Callable

from envlock.edges.launchers.visible import checked
from envlock.edges.program_errors import last_lines
from envlock.edges.subprocesses import run
from envlock.model.errors import SurroundingsError
from envlock.model.project.launch import RankJob

_TIMEOUT_S = 30.0
_MPI = "--mpi"
_USUAL = ("pmix", "pmi2")
"""What to try for an MPI whose interfaces are not known."""


def plugins() -> tuple[str, ...]:
    """Return the PMIs that srun offers here, from ``srun --mpi=list``.

    Raises:
        SurroundingsError: ``no-pmi``: it names none, such as in a container without Slurm's configuration.
    """
    finished = run(["srun", "--mpi=list"], timeout_s=_TIMEOUT_S)
    lines = (finished.stdout + finished.stderr).replace("srun:", "").splitlines()
    found = tuple(line.strip() for line in lines if line.strip() and " " not in line.strip())
    if not found:
        raise SurroundingsError(
            "no-pmi",
            "srun does not say which PMIs it offers",
            where="srun --mpi=list",
            why="\n".join(line.strip() for line in last_lines(lines)),
            hint="--launcher mpirun (or hydra); or look whether srun works here at all: srun hostname",
        )
    return found


def srun(job: RankJob, offered: Callable[[], tuple[str, ...]] = plugins) -> list[str]:
    """Return the command line of ``srun`` inside an allocation, or with its own.

    Args:
        job: the ranks.
        offered: returns the PMIs that srun offers.

    Raises:
        SurroundingsError: ``no-pmi``: srun and the MPI have no PMI in common.
    """
    return [*srun_up_to_program(job, offered), *checked(job.program)]


def srun_up_to_program(job: RankJob, offered: Callable[[], tuple[str, ...]] = plugins) -> list[str]:
    """Return the command line up to the program to start.

    ``--export=ALL`` passes on what a site's SLURM_EXPORT_ENV may hold back; a rank that fails ends all.
    From 22.05 on, srun no longer inherits the allocation's processors per task (srun(1)).
    """
    nodes = ["-N", str(job.nodes or len(job.hosts))] if job.spread else []
    hosts = ["-w", ",".join(job.hosts)] if job.hosts else []
    each = [f"--ntasks-per-node={job.each}"] if job.spread else []
    processors = [f"--cpus-per-task={job.processors}"] if job.processors else []
    gpus = [f"--gres=gpu:{job.gpus}"] if job.gpus else []
    has_own = any(option.partition("=")[0] == _MPI for option in job.options)  # the site, a PMI
    mpi = [] if has_own else [f"{_MPI}={_plugin(job, offered)}"]
    return [
        *("srun", "-n", str(job.ranks), *nodes, *each, *processors, *gpus, *hosts, *mpi),
        *("--export=ALL", "--kill-on-bad-exit=1", *job.options),
    ]


def _plugin(job: RankJob, offered: Callable[[], tuple[str, ...]]) -> str:
    """Return the first PMI that the MPI speaks and srun offers."""
    if not job.mpi:
        return "none"
    spoken = job.interfaces or _USUAL
    there = offered()
    for name in spoken:
        if name in there:
            return name
    raise SurroundingsError(
        "no-pmi",
        f"srun and {job.mpi} have no PMI in common",
        why=f"srun offers {', '.join(there)}; {job.mpi} speaks {', '.join(spoken)}",
        hint="--launcher mpirun (or hydra) inside the allocation; or name the one that serves here: "
        '[site.launch] options = ["--mpi=NAME"]',
    )
