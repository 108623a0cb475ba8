"""Without MPI or scheduler, one ssh for each node starts the ranks there as plain processes.

It is flat, with one connection for each node, and so meant for small numbers of nodes.
"""

from __future__ import annotations

from envlock.edges.launchers.launcher import Launcher
from envlock.edges.launchers.visible import checked
from envlock.model.errors import RequestError
from envlock.model.project.launch import RankJob


class Ssh(Launcher):
    """The probe's own ``ssh`` command (its ``over_ssh.py``), with rank and size in the generic variables."""

    def command(self, job: RankJob) -> list[str]:
        """Return the command line.

        Raises:
            RequestError: no hosts are named.
        """
        if not job.hosts:
            raise RequestError("no-hosts", "the launcher 'ssh' needs the hosts", hint="--hosts n1,n2")
        python, archive, *arguments = job.program
        places = ["--ranks", str(job.ranks), "--per-node", str(job.each), "--hosts", ",".join(job.hosts)]
        variables = [f"{name}={value}" for name, value in job.exported.items()]
        on_node = checked((python, archive, "local", "{place}", "--", *arguments))
        options = [f"--ssh-option={option}" for option in job.options]
        return [python, archive, "ssh", *places, *options, "--", "env", *variables, *on_node]
