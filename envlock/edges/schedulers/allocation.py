"""The allocation of a scheduler that this process runs in, by the variables that the scheduler sets."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from envlock.edges.subprocesses import run
from envlock.model.errors import SurroundingsError
from envlock.model.frozen import dataclass

_SCHEDULERS = (
    ("flux", "FLUX_ENCLOSING_ID", ""),
    ("cobalt", "COBALT_JOBID", "COBALT_JOBSIZE"),
    ("slurm", "SLURM_JOB_ID", "SLURM_JOB_NUM_NODES"),
    ("csm", "CSM_ALLOCATION_ID", ""),
    ("lsf", "LSB_JOBID", ""),
    ("pbs", "PBS_JOBID", ""),
)
"""Scheduler, its variable with the job, that with the number of nodes; Flux may run inside all others.

Cluster System Management is what LSF gives whole nodes by on CORAL systems; PRRTE's plm_lsf tells it so.
"""

_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """Nodes that a scheduler has given.

    Attributes:
        scheduler: its name; empty for no allocation.
        nodes: how many nodes; 0 where that is not told.
        tasks: for how many tasks; 0 likewise.
        processors: how many of each task; 0 likewise.
        here: whether this process is known to run on one of the nodes, and not on a login or launch node.
    """

    scheduler: str = ""
    nodes: int = 0
    tasks: int = 0
    processors: int = 0
    here: bool = False


def allocation(environ: Mapping[str, str]) -> Allocation:
    """The innermost allocation; one without a scheduler where there is none."""
    for scheduler, job, nodes in _SCHEDULERS:
        if environ.get(job):
            return Allocation(
                scheduler=scheduler,
                nodes=_number(environ, nodes) or _listed(scheduler, environ),
                tasks=_number(environ, "SLURM_NTASKS") if scheduler == "slurm" else 0,
                processors=_number(environ, "SLURM_CPUS_PER_TASK") if scheduler == "slurm" else 0,
                here=_here(scheduler, environ),
            )
    return Allocation()


def _number(environ: Mapping[str, str], name: str) -> int:
    told = environ.get(name, "")
    return int(told) if told.isdecimal() else 0


def _listed(scheduler: str, environ: Mapping[str, str]) -> int:
    """Where only the nodes' names are told, or Flux must be asked.

    Flux sets its variables in tasks alone; an instance has one broker on each node
    (flux-broker-attributes(7), size).
    """
    if scheduler == "flux":
        with suppress(SurroundingsError):
            told = run(["flux", "getattr", "size"], timeout_s=_TIMEOUT_S).stdout.strip()
            return int(told) if told.isdecimal() else 0
    return len(_hosts(scheduler, environ))


def _here(scheduler: str, environ: Mapping[str, str]) -> bool:
    """Whether one of the nodes runs this process.

    slurmd tells its node's name to batch shells and steps (sbatch(1)), salloc none to a shell on the login
    node. Of the others those that list the nodes are asked; Cobalt and CSM run scripts on nodes of their own.
    """
    if scheduler == "slurm":
        return bool(environ.get("SLURMD_NODENAME"))
    return short_name(socket.gethostname()) in {short_name(host) for host in _hosts(scheduler, environ)}


def short_name(host: str) -> str:
    """A host's name without its domain."""
    return host.partition(".")[0].lower()


def _hosts(scheduler: str, environ: Mapping[str, str]) -> set[str]:
    """The nodes' names in the file that PBS or LSF wrote; none where there is no such file.

    The first line of LSF's file is the launch node under CSM, and a node like the others elsewhere.
    """
    if scheduler not in ("pbs", "lsf", "csm"):
        return set()
    file = Path(environ.get("PBS_NODEFILE" if scheduler == "pbs" else "LSB_DJOB_HOSTFILE") or "/nowhere")
    try:
        return set(file.read_text(encoding="utf-8", errors="replace").split()[scheduler == "csm" :])
    except OSError:
        return set()
