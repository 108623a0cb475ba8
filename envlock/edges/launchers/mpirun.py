"""Open MPI's mpirun, releases 3 to 5."""

from __future__ import annotations

import os

from envlock.edges.launchers.launcher import Launcher
from envlock.edges.launchers.visible import checked
from envlock.model.project.launch import RankJob


class Mpirun(Launcher):
    """``mpirun`` of ORTE (up to release 4) and PRRTE (from release 5); both accept these options."""

    def command(self, job: RankJob) -> list[str]:
        """Return the command line; more ranks than processors are allowed, since the test is for correctness.

        To reach other nodes, variables must be named one by one (mpirun(1), ``-x``). Inside a scheduler's
        allocation it uses the scheduler's daemons, elsewhere ssh; both start ranks as a tree.
        """
        if not job.spread:
            return ["mpirun", "-np", str(job.ranks), "--oversubscribe", *job.options, *job.program]
        hosts = ["--host", ",".join(f"{host}:{job.each}" for host in job.hosts)] if job.hosts else []
        places = [*hosts, "--map-by", f"ppr:{job.each}:node:OVERSUBSCRIBE"]
        exported = [word for name in job.exported for word in ("-x", name)]
        return ["mpirun", "-np", str(job.ranks), *places, *exported, *job.options, *checked(job.program)]

    def environment(self) -> dict[str, str]:
        """Return the two variables by which root, as in most containers, must confirm that this is meant."""
        if os.geteuid() != 0:
            return {}
        return {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
