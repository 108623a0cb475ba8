"""IBM's jsrun, on LSF systems such as Summit and Lassen."""

from __future__ import annotations

from envlock.edges.launchers.launcher import Launcher
from envlock.edges.launchers.visible import checked
from envlock.model.errors import RequestError
from envlock.model.project.launch import RankJob


class Jsrun(Launcher):
    """``jsrun`` inside an allocation: one resource set per node, with everything on it.

    A set has no GPUs unless it is given some, and its ranks see no others. Options as in OLCF's user guide
    for Summit (running jobs) and LLNL's "Slurm srun versus IBM CSM jsrun"; sets of whole nodes as in Flux's
    guide to starting it on CORAL systems.
    """

    def command(self, job: RankJob) -> list[str]:
        """Return the command line.

        Raises:
            RequestError: hosts are named, though it takes only those of the allocation, or the nodes would
                not all get the same number of ranks.
        """
        if job.hosts:
            raise RequestError(
                "hosts-not-chosen", "jsrun takes the hosts of its allocation", hint="leave --hosts out"
            )
        if job.places * job.each != job.ranks:
            raise RequestError(
                "uneven-ranks",
                f"jsrun cannot share out {job.ranks} ranks among {job.places} nodes equally",
                hint=f"--ranks {job.places * job.each}, or other --nodes",
            )
        exported = [word for name, value in job.exported.items() for word in ("--env", f"{name}={value}")]
        sets = ["--nrs", str(job.places), "--rs_per_host", "1", "--tasks_per_rs", str(job.each)]
        contents = ["--cpu_per_rs", "ALL_CPUS", "--gpu_per_rs", "ALL_GPUS", "--bind", "none"]
        return ["jsrun", *sets, *contents, *exported, *job.options, *checked(job.program)]
