"""Hydra, the process manager of MPICH and of what descends from it: Intel MPI and MVAPICH."""

from __future__ import annotations

from envlock.edges.launchers.visible import checked
from envlock.model.project.launch import RankJob


class Hydra:
    """``mpiexec`` of MPICH, Intel MPI and MVAPICH.

    Inside an allocation Intel MPI goes by the scheduler's number of ranks on each node and not by ``-ppn``
    unless it is told otherwise (its developer guide, job schedulers support); the others ignore the variable.
    """

    def command(self, job: RankJob) -> list[str]:
        """The command line.

        By default it passes on the whole environment, which ``I_MPI_HYDRA_ENV`` can narrow; what ranks must
        have is therefore said one by one. It starts nodes by the scheduler's own means where it finds one,
        else by ssh.
        """
        if not job.spread:
            return ["mpiexec", "-n", str(job.ranks), *job.options, *job.program]
        places = ["-ppn", str(job.each), *(["-hosts", ",".join(job.hosts)] if job.hosts else [])]
        exported = [word for name, value in job.exported.items() for word in ("-genv", name, value)]
        return ["mpiexec", "-n", str(job.ranks), *places, *exported, *job.options, *checked(job.program)]

    def environment(self) -> dict[str, str]:
        """The word by which Intel MPI heeds the number of ranks on each node."""
        return {"I_MPI_JOB_RESPECT_PROCESS_PLACEMENT": "0"}
