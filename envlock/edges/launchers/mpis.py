"""The launchers of MPIs, Open MPI's and Hydra, and Horovod's for ranks that meet without an MPI."""

from __future__ import annotations

import os
from collections.abc import Mapping

from envlock.edges.launchers.visible import checked
from envlock.model.errors import RequestError
from envlock.model.project.launch import RankJob


def mpirun(job: RankJob) -> list[str]:
    """Return the command line of ``mpirun`` of ORTE (up to release 4) and PRRTE (from release 5).

    Both accept these options. More ranks than processors are allowed, since the test is for correctness. To
    reach other nodes, variables must be named one by one (mpirun(1), ``-x``). Inside a scheduler's
    allocation it uses the scheduler's daemons, elsewhere ssh; both start ranks as a tree.
    """
    if not job.spread:
        return ["mpirun", "-np", str(job.ranks), "--oversubscribe", *job.options, *job.program]
    hosts = ["--host", ",".join(f"{host}:{job.each}" for host in job.hosts)] if job.hosts else []
    places = [*hosts, "--map-by", f"ppr:{job.each}:node:OVERSUBSCRIBE"]
    exported = [word for name in job.exported for word in ("-x", name)]
    return ["mpirun", "-np", str(job.ranks), *places, *exported, *job.options, *checked(job.program)]


def hydra(job: RankJob) -> list[str]:
    """Return the command line of ``mpiexec`` of MPICH, Intel MPI and MVAPICH.

    By default Hydra passes on the whole environment, but ``I_MPI_HYDRA_ENV`` can narrow that, so the
    variables that ranks need are named one by one. It starts nodes through the scheduler if it finds
    one, or else by ssh.
    """
    if not job.spread:
        return ["mpiexec", "-n", str(job.ranks), *job.options, *job.program]
    places = ["-ppn", str(job.each), *(["-hosts", ",".join(job.hosts)] if job.hosts else [])]
    exported = [word for name, value in job.exported.items() for word in ("-genv", name, value)]
    return ["mpiexec", "-n", str(job.ranks), *places, *exported, *job.options, *checked(job.program)]


def horovodrun(job: RankJob) -> list[str]:
    """Return the command line of ``horovodrun --gloo``, of Horovod 0.18 and later.

    It passes on the environment, and starts ranks on other hosts by ssh.

    Raises:
        RequestError: no hosts are named.
    """
    start = ["horovodrun", "--gloo", "-np", str(job.ranks), "-H"]
    if not job.spread:
        return [*start, f"localhost:{job.ranks}", *job.options, *job.program]
    if not job.hosts:
        raise RequestError("no-hosts", "the launcher 'horovodrun' needs the hosts", hint="--hosts n1,n2")
    places = ",".join(f"{host}:{job.each}" for host in job.hosts)
    return [*start, places, *job.options, *checked(job.program)]


def own_variables(launcher: str) -> Mapping[str, str]:
    """Return the variables that a launcher itself needs, on top of the environment's activation.

    For Open MPI's, root, as in most containers, must confirm that this is meant. Inside an allocation Intel
    MPI uses the scheduler's number of ranks per node and not ``-ppn`` unless told otherwise (its developer
    guide, job schedulers support); other MPIs with Hydra ignore the variable.
    """
    if launcher == "mpirun" and os.geteuid() == 0:
        return {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return {"I_MPI_JOB_RESPECT_PROCESS_PLACEMENT": "0"} if launcher == "hydra" else {}
