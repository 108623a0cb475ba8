"""IBM's jsrun, on LSF systems such as Summit and Lassen."""

from __future__ import annotations

from envlock.edges.launchers.visible import checked
from envlock.model.errors import RequestError
from envlock.model.launch import RankJob


class Jsrun:
    """``jsrun`` inside an allocation: one resource set for each rank.

    Options as in OLCF's user guide of Summit (running jobs) and LLNL's "Slurm srun versus IBM CSM jsrun".
    """

    def command(self, job: RankJob) -> list[str]:
        """The command line.

        Raises:
            RequestError: it takes the hosts of the allocation and no others.
        """
        if job.hosts:
            raise RequestError(
                "hosts-not-chosen", "jsrun takes the hosts of its allocation", hint="leave --hosts out"
            )
        exported = [word for name, value in job.exported.items() for word in ("--env", f"{name}={value}")]
        sets = ["--nrs", str(job.ranks), "--rs_per_host", str(job.each), "--tasks_per_rs", "1"]
        return ["jsrun", *sets, "--cpu_per_rs", "1", *exported, *job.options, *checked(job.program)]

    def environment(self) -> dict[str, str]:
        """Nothing is needed."""
        return {}
