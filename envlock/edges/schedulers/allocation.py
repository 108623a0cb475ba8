"""The scheduler's allocation that this process runs in, from the variables that the scheduler sets."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from envlock.edges.subprocesses import run
from envlock.edges.visible import text_of
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
"""Scheduler, its variable for the job, and the one for the number of nodes; Flux may run inside all others.

On CORAL systems LSF allocates whole nodes through Cluster System Management (CSM); PRRTE's plm_lsf detects it
the same way.
"""

_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """Nodes that a scheduler has allocated.

    Attributes:
        scheduler: its name; empty for no allocation.
        nodes: how many nodes; 0 if that is unknown.
        tasks: how many tasks; 0 if that is unknown.
        processors: how many processors per task; 0 if that is unknown.
        here: whether this process is known to run on one of the nodes, and not on a login or launch node.
    """

    scheduler: str = ""
    nodes: int = 0
    tasks: int = 0
    processors: int = 0
    here: bool = False


def allocation(environ: Mapping[str, str]) -> Allocation:
    """Return the innermost allocation; one without a scheduler if there is none."""
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
    value = environ.get(name, "")
    return int(value) if value.isdecimal() else 0


def _listed(scheduler: str, environ: Mapping[str, str]) -> int:
    """Count the nodes if only their names are known, or if Flux must be asked.

    Flux sets its variables only in tasks; an instance has one broker on each node (flux-broker-attributes(7),
    size).
    """
    if scheduler == "flux":
        with suppress(SurroundingsError):
            size = run(["flux", "getattr", "size"], timeout_s=_TIMEOUT_S).stdout.strip()
            return int(size) if size.isdecimal() else 0
    return len(_hosts(scheduler, environ))


def _here(scheduler: str, environ: Mapping[str, str]) -> bool:
    """Whether this process runs on one of the nodes.

    slurmd passes its node's name to batch shells and steps (sbatch(1)); salloc passes none to a shell on the
    login node. For other schedulers that list their nodes, the host is looked up there; Cobalt and CSM run
    scripts on separate nodes.
    """
    if scheduler == "slurm":
        return bool(environ.get("SLURMD_NODENAME"))
    return short_name(socket.gethostname()) in {short_name(host) for host in _hosts(scheduler, environ)}


def short_name(host: str) -> str:
    """Return a host's name without its domain."""
    return host.partition(".")[0].lower()


def _hosts(scheduler: str, environ: Mapping[str, str]) -> set[str]:
    """Return the nodes' names from the file that PBS or LSF wrote; none if there is no such file.

    The first line of LSF's file is the launch node under CSM, and an ordinary node elsewhere.
    """
    if scheduler not in ("pbs", "lsf", "csm"):
        return set()
    file = Path(environ.get("PBS_NODEFILE" if scheduler == "pbs" else "LSB_DJOB_HOSTFILE") or "/nowhere")
    return set(text_of(file).split()[scheduler == "csm" :])
