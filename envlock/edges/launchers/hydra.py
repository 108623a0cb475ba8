"""Hydra, the process manager of MPICH and its descendants, Intel MPI and MVAPICH."""

from __future__ import annotations

from envlock.edges.launchers.launcher import Launcher
from envlock.edges.launchers.visible import checked
from envlock.model.project.launch import RankJob


class Hydra(Launcher):
    """``mpiexec`` of MPICH, Intel MPI and MVAPICH.

    Inside an allocation Intel MPI uses the scheduler's number of ranks per node and not ``-ppn`` unless told
    otherwise (its developer guide, job schedulers support); the others ignore the variable.
    """

    def command(self, job: RankJob) -> list[str]:
        """Return the command line.

        By default Hydra passes on the whole environment, but ``I_MPI_HYDRA_ENV`` can narrow that, so the
        variables that ranks need are named one by one. It starts nodes through the scheduler if it finds
        one, or else by ssh.
        """
        if not job.spread:
            return ["mpiexec", "-n", str(job.ranks), *job.options, *job.program]
        places = ["-ppn", str(job.each), *(["-hosts", ",".join(job.hosts)] if job.hosts else [])]
        exported = [word for name, value in job.exported.items() for word in ("-genv", name, value)]
        return ["mpiexec", "-n", str(job.ranks), *places, *exported, *job.options, *checked(job.program)]

    def environment(self) -> dict[str, str]:
        """Return the variable that makes Intel MPI respect the number of ranks per node."""
        return {"I_MPI_JOB_RESPECT_PROCESS_PLACEMENT": "0"}
