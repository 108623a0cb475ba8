"""PyTorch's torchrun: one agent on each node, which starts that node's ranks."""

from __future__ import annotations

from dataclasses import replace

from envlock.edges.launchers.slurm import srun_up_to_program
from envlock.edges.launchers.visible import LOOK
from envlock.model.errors import RequestError
from envlock.model.project.launch import RankJob

_RUN = ("-m", "torch.distributed.run")
_MEETING = (
    'at=$(scontrol show hostnames "$SLURM_STEP_NODELIST" | head -n 1); '
    "port=$((29400 + SLURM_JOB_ID % 4096)); "
    'exec "$0" -m torch.distributed.run --rdzv_backend=c10d --rdzv_id="$SLURM_JOB_ID" '
    '--rdzv_endpoint="$at:$port" "$@"'
)
"""Agents meet on the step's first node, at a port derived from the job's number, so that jobs stay apart."""


def torchrun(job: RankJob) -> list[str]:
    """Return the command line of the environment's own ``torch.distributed.run``.

    On several nodes, srun starts its agents. PyTorch 1.9 to 1.13 accept its options only with underscores,
    later ones in both forms (pytorch#94505).

    Raises:
        RequestError: the ranks cannot be divided equally among the nodes.
    """
    python, *program = job.program
    each = [f"--nproc_per_node={job.each}", *job.options]
    if not job.spread:
        return [python, *_RUN, "--standalone", *each, *program]
    nodes = job.nodes or len(job.hosts)
    if nodes * job.each != job.ranks:
        raise RequestError(
            "uneven-ranks",
            f"torchrun cannot share out {job.ranks} ranks among {nodes} nodes equally",
            hint=f"--ranks {nodes * job.each}, or other --nodes",
        )
    processors = job.processors * job.each  # an agent's ranks inherit its own
    agents = replace(job, ranks=nodes, nodes=nodes, per_node=1, processors=processors, mpi="", options=())
    start = srun_up_to_program(agents)
    return [*start, "/bin/sh", "-c", LOOK + _MEETING, python, f"--nnodes={nodes}", *each, *program]
