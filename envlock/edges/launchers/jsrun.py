"""IBM's jsrun, on LSF systems such as Summit and Lassen."""

from __future__ import annotations

from envlock.edges.launchers.visible import checked
from envlock.model.errors import RequestError
from envlock.model.project.launch import RankJob


class Jsrun:
    """``jsrun`` inside an allocation: one resource set for each node, with all that it has.

    A set has no GPU unless it is given some, and its ranks then see no other. Options as in OLCF's user guide
    of Summit (running jobs) and LLNL's "Slurm srun versus IBM CSM jsrun"; sets of whole nodes as in Flux's
    guide to starting it on CORAL systems.
    """

    def command(self, job: RankJob) -> list[str]:
        """The command line.

        Raises:
            RequestError: it takes the hosts of the allocation and no others, and the same number of ranks on
                each.
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

    def environment(self) -> dict[str, str]:
        """Nothing is needed."""
        return {}
