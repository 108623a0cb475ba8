"""Without an MPI, the probe starts its ranks itself, as plain processes on this host."""

from __future__ import annotations

from envlock.edges.launchers.launcher import Launcher
from envlock.model.errors import RequestError
from envlock.model.project.launch import RankJob


class Local(Launcher):
    """The probe's own ``local`` command, with rank and size in the generic variables."""

    def command(self, job: RankJob) -> list[str]:
        """Return the command line.

        Raises:
            RequestError: ranks on other hosts need a launcher.
        """
        if job.spread:
            where = ", ".join(job.hosts) or f"{job.nodes} nodes"
            raise RequestError(
                "no-launcher",
                f"ranks on {where} need a launcher, and 'local' starts processes on this host only",
                hint="--launcher ssh with --hosts, or srun, or an MPI in the group",
            )
        python, archive, *arguments = job.program
        return [python, archive, "local", "--ranks", str(job.ranks), "--", *arguments]
