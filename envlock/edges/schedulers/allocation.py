"""The allocation of a scheduler that this process runs in, by the variables that the scheduler sets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from envlock.model.frozen import dataclass

_SCHEDULERS = (
    ("flux", "FLUX_ENCLOSING_ID", "FLUX_JOB_NNODES"),
    ("cobalt", "COBALT_JOBID", "COBALT_JOBSIZE"),
    ("slurm", "SLURM_JOB_ID", "SLURM_JOB_NUM_NODES"),
    ("lsf", "LSB_JOBID", ""),
    ("pbs", "PBS_JOBID", ""),
)
"""Scheduler, its variable with the job, that with the number of nodes; Flux may run inside all others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """Nodes that a scheduler has given.

    Attributes:
        scheduler: its name; empty for no allocation.
        nodes: how many nodes; 0 where that is not told.
    """

    scheduler: str = ""
    nodes: int = 0


def allocation(environ: Mapping[str, str]) -> Allocation:
    """The innermost allocation; one without a scheduler where there is none."""
    for scheduler, job, nodes in _SCHEDULERS:
        if environ.get(job):
            told = environ.get(nodes, "")
            return Allocation(
                scheduler=scheduler, nodes=int(told) if told.isdigit() else _listed(scheduler, environ)
            )
    return Allocation()


def _listed(scheduler: str, environ: Mapping[str, str]) -> int:
    """Where only the nodes' names are told; the first line of LSF's file is the launch node."""
    if scheduler not in ("pbs", "lsf"):
        return 0
    file = Path(environ.get("PBS_NODEFILE" if scheduler == "pbs" else "LSB_DJOB_HOSTFILE") or "/nowhere")
    try:
        hosts = file.read_text(encoding="utf-8").split()
    except OSError:
        return 0
    return len(set(hosts[scheduler == "lsf" :]))
