"""HPE's PALS, the ``mpiexec`` of Cray EX systems under PBS such as Polaris."""

from __future__ import annotations

from envlock.edges.launchers.launcher import Launcher
from envlock.edges.launchers.visible import checked
from envlock.model.project.launch import RankJob


class Pals(Launcher):
    """``mpiexec`` inside an allocation; options as in ALCF's user guide for Polaris, running jobs."""

    def command(self, job: RankJob) -> list[str]:
        """Return the command line."""
        hosts = ["--hosts", ",".join(job.hosts)] if job.hosts else []
        exported = [word for name, value in job.exported.items() for word in ("--env", f"{name}={value}")]
        places = ["-n", str(job.ranks), "--ppn", str(job.each), *hosts]
        return ["mpiexec", *places, *exported, *job.options, *checked(job.program)]
