"""The allocation of a scheduler that this process runs in, by the variables that the scheduler sets."""

from __future__ import annotations

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
    """

    scheduler: str = ""
    nodes: int = 0
    tasks: int = 0
    processors: int = 0


def allocation(environ: Mapping[str, str]) -> Allocation:
    """The innermost allocation; one without a scheduler where there is none."""
    for scheduler, job, nodes in _SCHEDULERS:
        if environ.get(job):
            return Allocation(
                scheduler=scheduler,
                nodes=_number(environ, nodes) or _listed(scheduler, environ),
                tasks=_number(environ, "SLURM_NTASKS") if scheduler == "slurm" else 0,
                processors=_number(environ, "SLURM_CPUS_PER_TASK") if scheduler == "slurm" else 0,
            )
    return Allocation()


def _number(environ: Mapping[str, str], name: str) -> int:
    told = environ.get(name, "")
    return int(told) if told.isdigit() else 0


def _listed(scheduler: str, environ: Mapping[str, str]) -> int:
    """Where only the nodes' names are told, or Flux must be asked.

    The first line of LSF's file is the launch node under CSM, and a node like the others elsewhere. Flux sets
    its variables in tasks alone; an instance has one broker on each node (flux-broker-attributes(7), size).
    """
    if scheduler == "flux":
        with suppress(SurroundingsError):
            told = run(["flux", "getattr", "size"], timeout_s=_TIMEOUT_S).stdout.strip()
            return int(told) if told.isdigit() else 0
    if scheduler not in ("pbs", "lsf", "csm"):
        return 0
    file = Path(environ.get("PBS_NODEFILE" if scheduler == "pbs" else "LSB_DJOB_HOSTFILE") or "/nowhere")
    try:
        hosts = file.read_text(encoding="utf-8").split()
    except OSError:
        return 0
    return len(set(hosts[scheduler == "csm" :]))
