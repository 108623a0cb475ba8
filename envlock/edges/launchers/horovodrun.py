"""Horovod's own launcher, for ranks that meet through Gloo, without an MPI that would start them."""

from __future__ import annotations

from envlock.edges.launchers.launcher import Launcher
from envlock.edges.launchers.visible import checked
from envlock.model.errors import RequestError
from envlock.model.project.launch import RankJob


class Horovodrun(Launcher):
    """``horovodrun --gloo``, of Horovod 0.18 and later; it starts ranks on other hosts by ssh."""

    def command(self, job: RankJob) -> list[str]:
        """Return the command line; horovodrun passes on the environment.

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
